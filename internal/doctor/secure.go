package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"time"

	"cbc-otel/exporter"
)

// Alerts a server may end a handshake with (RFC 8446 section 6).
const (
	alertProtocolVersion = tls.AlertError(70)
	alertNoProtocol      = tls.AlertError(120)
)

// alertOf returns the text of the alert with which a server ended a handshake, "" if it did not. Outside of QUIC
// crypto/tls has no type for it that others can see, but the same texts.
func alertOf(err error) string {
	var remote *net.OpError
	if errors.As(err, &remote) && remote.Op == "remote error" {
		return remote.Err.Error()
	}
	return ""
}

// secure makes a TLS handshake as the exporter does, or sees to it that no server waits for one. Through a proxy that is
// left to the test span.
func (d *doctor) secure(ctx context.Context, far *farEnd) bool {
	switch {
	case far.proxy != nil:
		return true
	case far.target.Plaintext:
		if d.speaksTLS(ctx, far) {
			d.fail("TLS", "the server at "+far.address+" speaks TLS", "write https:// in "+d.key("otlp.endpoint", "--endpoint"))
			return false
		}
		return true
	}
	config, err := far.target.TLSConfig()
	if err != nil {
		d.fail("TLS", err.Error(), "correct the setting, or what it names")
		return false
	}
	config.ServerName = far.host()
	config.NextProtos = []string{"h2", "http/1.1"}
	if far.target.Protocol == exporter.ProtocolGRPC {
		config.NextProtos = []string{"h2"}
	}
	var client clientCertificate
	client.watch(config)
	limited, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	if err = handshake(limited, far, config, &client); err == nil {
		d.ok("TLS", "the server's certificate is trusted")
		return true
	}
	text, todo := d.explainTLS(ctx, far, err, client)
	d.fail("TLS", text, todo)
	return false
}

// clientCertificate is what a handshake came to as to a certificate of ours.
type clientCertificate struct {
	asked bool
	shown bool // there was one that the server may accept
}

// watch chooses a certificate as crypto/tls does, and notes it.
func (c *clientCertificate) watch(config *tls.Config) {
	certificates := config.Certificates
	config.GetClientCertificate = func(request *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		c.asked = true
		for i := range certificates {
			if request.SupportsCertificate(&certificates[i]) == nil {
				c.shown = true
				return &certificates[i], nil
			}
		}
		return new(tls.Certificate), nil
	}
}

// refusalWait is how long a server that asked for a client certificate has to refuse it. In TLS 1.3 that comes after
// the handshake (RFC 8446 section 4.4.2.4).
const refusalWait = 2 * time.Second

func handshake(ctx context.Context, far *farEnd, config *tls.Config, client *clientCertificate) error {
	raw, err := far.dial(ctx)
	if err != nil {
		return err
	}
	conn := tls.Client(raw, config)
	defer raw.Close() //nolint:errcheck // nothing is written
	if err := conn.HandshakeContext(ctx); err != nil || !client.asked {
		return err
	}
	_ = conn.SetReadDeadline(time.Now().Add(refusalWait))
	_, err = conn.Read(make([]byte, 1))
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return nil // it waits for a request
	}
	return err
}

// explainTLS says why there is no secure connection.
func (d *doctor) explainTLS(ctx context.Context, far *farEnd, err error, client clientCertificate) (text, todo string) {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
	)
	endpoint := d.key("otlp.endpoint", "--endpoint")
	switch {
	case errors.As(err, &authority):
		text = "the server's certificate is signed by an authority that is not trusted"
		if authority.Cert != nil {
			text += ": " + foreign(authority.Cert.Issuer.String())
		}
		return text, "put the certificate of that authority into a PEM file and name it in " + d.key("otlp.tls.ca_file", "OTEL_EXPORTER_OTLP_CERTIFICATE")
	case errors.As(err, &name):
		return "the server's certificate is not for " + name.Host + " but for " + foreign(names(name.Certificate)), "use such a name in " + endpoint + ", or get a certificate for " + name.Host
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the server's certificate is only valid from " + day(invalid.Cert.NotBefore) + " to " + day(invalid.Cert.NotAfter), "renew it, or correct the clock of this machine"
	case errors.As(err, &record):
		return "the server at " + far.address + " does not speak TLS", "write http:// in " + endpoint
	case alertOf(err) != "":
		return d.explainAlert(alertOf(err), client)
	case timedOut(ctx, err):
		return "no answer from " + far.address + " within " + d.timeout.String(), "look at the receiver, or for a firewall in between"
	}
	if is := d.look(ctx, far, false); is.http || is.grpc {
		return "the server at " + far.address + " does not speak TLS", "write http:// in " + endpoint
	}
	return "no connection with TLS: " + cause(err), "look at the receiver's TLS settings"
}

// explainAlert says why the server ended the handshake.
func (d *doctor) explainAlert(alert string, client clientCertificate) (text, todo string) {
	own := d.key("otlp.tls.cert_file", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE")
	given := d.Settings.OTLP.TLS.CertFile != ""
	switch {
	case alert == alertNoProtocol.Error():
		return "the server does not speak HTTP/2, which gRPC needs", "set " + d.key("otlp.protocol", "--protocol") + " to http/protobuf"
	case alert == alertProtocolVersion.Error():
		return "the server speaks no version of TLS that is safe", "have it speak TLS 1.2 or 1.3"
	case !client.asked:
		return "the server ended the handshake (" + alert + ")", "look at the receiver's TLS settings"
	case given && !client.shown:
		return "the server wants a client certificate of another authority than ours is of", "name one that it accepts in " + own
	case !given:
		return "the server wants a client certificate (" + alert + ")",
			"name it in " + own + " and its key in " + d.key("otlp.tls.key_file", "OTEL_EXPORTER_OTLP_CLIENT_KEY")
	}
	return "the server does not accept our client certificate (" + alert + ")", "name one that it accepts in " + own
}

// names lists what a certificate is for.
func names(c *x509.Certificate) string {
	all := c.DNSNames
	for _, ip := range c.IPAddresses {
		all = append(all, ip.String())
	}
	if len(all) == 0 {
		return "no host"
	}
	return strings.Join(all, ", ")
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
