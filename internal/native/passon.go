package native

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// passTimeout bounds one request to the user's own destination.
const passTimeout = 10 * time.Second

// maxAnswer is what of an answer is handed back.
const maxAnswer = 1 << 16

// PassOn sends payloads on to where the user had pointed the telemetry.
type PassOn struct {
	plan    *Plan
	targets map[Signal]*target
}

type target struct {
	url    string
	client *http.Client
}

// NewPassOn prepares what the plan says. Its error names the variable that makes it impossible. Close it.
func NewPassOn(p *Plan) (*PassOn, error) {
	out := &PassOn{plan: p, targets: map[Signal]*target{}}
	for signal, d := range p.Destinations {
		u, err := url.Parse(d.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("%s is no http:// or https:// address", d.Variable)
		}
		tlsConfig, err := d.tls(os.ReadFile)
		if err != nil {
			return nil, err
		}
		out.targets[signal] = &target{url: d.URL, client: &http.Client{
			Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, TLSClientConfig: tlsConfig, ForceAttemptHTTP2: true,
				MaxIdleConns: 4, IdleConnTimeout: 30 * time.Second,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Timeout:       passTimeout,
		}}
	}
	return out, nil
}

// Close lets go of connections.
func (p *PassOn) Close() {
	if p == nil {
		return
	}
	for _, t := range p.targets {
		t.client.CloseIdleConnections()
	}
}

// target is where a payload is to go as well, or nil. One that could not be read goes where it would have gone.
func (p *PassOn) target(s Signal, from origin, known bool) *target {
	if p == nil || p.targets[s] == nil || known && !p.plan.wanted(s, from) {
		return nil
	}
	return p.targets[s]
}

// send sends the request on and answers with the answer.
func (t *target) send(ctx context.Context, w http.ResponseWriter, in *http.Request, body io.Reader) error {
	out, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, body)
	if err != nil {
		http.Error(w, "", http.StatusBadGateway)
		return err
	}
	out.ContentLength = in.ContentLength
	out.Header = in.Header.Clone()
	for _, hop := range []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect"} {
		out.Header.Del(hop)
	}
	if out.Header.Get("Accept-Encoding") == "" {
		out.Header.Set("Accept-Encoding", "identity") // or one is added, and the answer changed
	}
	answer, err := t.client.Do(out)
	if err != nil {
		// What a sender takes for a place that cannot be reached just now: it may try again.
		http.Error(w, "", http.StatusServiceUnavailable)
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // only read
	for _, name := range []string{"Content-Type", "Content-Encoding", "Retry-After"} {
		if v := answer.Header.Get(name); v != "" {
			w.Header().Set(name, v)
		}
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, io.LimitReader(answer.Body, maxAnswer))
	if answer.StatusCode/100 != 2 {
		return errors.New(answer.Status)
	}
	return nil
}

// tls is what the OTEL_EXPORTER_OTLP_* variables say of certificates.
func (d Destination) tls(read func(string) ([]byte, error)) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if d.CA != "" {
		pem, err := read(d.CA)
		if err != nil {
			return nil, fmt.Errorf("certificate: %w", err)
		}
		if c.RootCAs, err = x509.SystemCertPool(); err != nil {
			c.RootCAs = x509.NewCertPool()
		}
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("certificate: %s holds none", d.CA)
		}
	}
	if d.Cert != "" || d.Key != "" {
		cert, err := read(d.Cert)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		key, err := read(d.Key)
		if err != nil {
			return nil, fmt.Errorf("client key: %w", err)
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
