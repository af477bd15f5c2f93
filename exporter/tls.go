package exporter

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// TLSConfig is how the exporter speaks TLS to this target. An error names the setting and the file.
func (t Target) TLSConfig() (*tls.Config, error) { return tlsConfig(t) }

// tlsConfig reads the files of a target. An error names the setting and the file.
func tlsConfig(t Target) (*tls.Config, error) {
	key := func(origin, own string) string {
		if variable := t.Origins[origin]; variable != "" {
			return variable
		}
		return own
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key("CAFile", "tls.ca_file"), err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %s holds no PEM certificate", key("CAFile", "tls.ca_file"), t.CAFile)
		}
	}
	if t.CertFile != "" && t.KeyFile != "" {
		cert, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("%s: client certificate %s with key %s: %w", key("CertFile", "tls.cert_file"), t.CertFile, t.KeyFile, err)
		}
		config.Certificates = []tls.Certificate{cert}
	}
	return config, nil
}
