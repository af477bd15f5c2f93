package otlptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// TLS is a certificate authority made for one test, with a server and a client certificate of it.
type TLS struct {
	CAFile            string // PEM
	CertFile, KeyFile string // a client certificate, PEM
	RequireClientCert bool
	pool              *x509.CertPool
	serverCert        tls.Certificate
	authority         *x509.Certificate
	authorityKey      *ecdsa.PrivateKey
	nextSerial        int64
}

// NewTLS makes a TLS with its files in dir. The server certificate is for 127.0.0.1 and localhost.
func NewTLS(t TB, dir string) *TLS {
	t.Helper()
	c := &TLS{pool: x509.NewCertPool(), nextSerial: 2}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	c.authorityKey, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &c.authorityKey.PublicKey, c.authorityKey)
	check(err)
	c.authority, err = x509.ParseCertificate(der)
	check(err)
	c.pool.AddCert(c.authority)
	c.CAFile = filepath.Join(dir, "ca.pem")
	check(os.WriteFile(c.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))

	cert, key, err := c.issue(x509.ExtKeyUsageServerAuth)
	check(err)
	c.serverCert, err = tls.X509KeyPair(cert, key)
	check(err)
	cert, key, err = c.issue(x509.ExtKeyUsageClientAuth)
	check(err)
	c.CertFile, c.KeyFile = filepath.Join(dir, "client.pem"), filepath.Join(dir, "client-key.pem")
	check(os.WriteFile(c.CertFile, cert, 0o600))
	check(os.WriteFile(c.KeyFile, key, 0o600))
	return c
}

func (c *TLS) issue(usage x509.ExtKeyUsage) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	c.nextSerial++
	template := &x509.Certificate{SerialNumber: big.NewInt(c.nextSerial), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{usage},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}}
	der, err := x509.CreateCertificate(rand.Reader, template, c.authority, &private.PublicKey, c.authorityKey)
	if err != nil {
		return nil, nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), nil
}

func (c *TLS) server(protocols ...string) *tls.Config {
	config := &tls.Config{Certificates: []tls.Certificate{c.serverCert}, NextProtos: protocols, MinVersion: tls.VersionTLS12}
	if c.RequireClientCert {
		config.ClientCAs, config.ClientAuth = c.pool, tls.RequireAndVerifyClientCert
	}
	return config
}
