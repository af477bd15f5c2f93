package doctor

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// spoken is what is spoken at the far end, with or without TLS.
type spoken struct{ grpc, http bool }

// look finds out what is at the far end, whatever the settings say. It sends no header and no span, and trusts any
// certificate: nothing that is told here is secret.
func (d *doctor) look(ctx context.Context, far *farEnd, secure bool) spoken {
	return spoken{grpc: d.speaksGRPC(ctx, far, secure), http: d.status(ctx, far, secure, "/") != 0}
}

// speaksTLS reports whether a handshake is answered, well or badly.
func (d *doctor) speaksTLS(ctx context.Context, far *farEnd) bool {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	raw, err := far.dial(ctx)
	if err != nil {
		return false
	}
	defer raw.Close() //nolint:errcheck // nothing is written
	err = tls.Client(raw, anyCertificate("h2", "http/1.1")).HandshakeContext(ctx)
	return err == nil || alertOf(err) != ""
}

// anyCertificate is for a look at a server to which nothing is told.
func anyCertificate(protocols ...string) *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, NextProtos: protocols, MinVersion: tls.VersionTLS12}
}

// speaksGRPC asks for an export of nothing: only gRPC answers with its content type.
func (d *doctor) speaksGRPC(ctx context.Context, far *farEnd, secure bool) bool {
	const contentType = "application/grpc"
	transport := &http.Transport{TLSClientConfig: anyCertificate("h2"), DisableKeepAlives: true, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP2(secure)
	transport.Protocols.SetUnencryptedHTTP2(!secure)
	empty := make([]byte, 5) // one message of no bytes
	resp := d.post(ctx, transport, far.url(secure, "/opentelemetry.proto.collector.trace.v1.TraceService/Export"), contentType, empty)
	return resp != nil && strings.HasPrefix(resp.Header.Get("Content-Type"), contentType)
}

// status is what a server of HTTP/1 answers to an export of nothing to a path; 0: it does not speak HTTP.
func (d *doctor) status(ctx context.Context, far *farEnd, secure bool, path string) int {
	transport := &http.Transport{TLSClientConfig: anyCertificate("http/1.1"), DisableKeepAlives: true, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(true)
	resp := d.post(ctx, transport, far.url(secure, path), "application/x-protobuf", nil)
	if resp == nil {
		return 0
	}
	return resp.StatusCode
}

func (far *farEnd) url(secure bool, path string) string {
	u := url.URL{Scheme: "http", Host: far.target.URL.Host, Path: path}
	if secure {
		u.Scheme = "https"
	}
	return u.String()
}

// post returns the answer without its body, nil if there is none.
func (d *doctor) post(ctx context.Context, transport *http.Transport, to, contentType string, body []byte) *http.Response {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return nil
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("TE", "trailers")      // gRPC servers insist on it
	resp, err := transport.RoundTrip(req) // follows no redirect
	if err != nil {
		return nil
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	_ = resp.Body.Close()
	return resp
}
