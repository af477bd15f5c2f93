package doctor_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
)

const (
	caVar   = "OTEL_EXPORTER_OTLP_CERTIFICATE"
	certVar = "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"
	keyVar  = "OTEL_EXPORTER_OTLP_CLIENT_KEY"
)

// each runs a test for both protocols.
func each(t *testing.T, f func(*testing.T, string)) {
	t.Helper()
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			f(t, protocol)
		})
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		ca := otlptest.NewTLS(t, t.TempDir())
		ca.RequireClientCert = true
		r := otlptest.New(t, otlptest.Config{TLS: ca})
		e := to(r.URL(protocol), protocol).with(caVar, ca.CAFile).with(certVar, ca.CertFile).with(keyVar, ca.KeyFile)
		got := e.run(t)
		got.want(t, map[string]string{"URL": shownURL(r, protocol), "ADDR": addr(r, protocol), "PROTOCOL": protocol, "ACCEPTED": accepted(t, r)}, true,
			viaEndpoint, "{ALL}",
			"ok    endpoint: {URL} over {PROTOCOL} (--endpoint)",
			"ok    connect: {ADDR} takes connections",
			"ok    TLS: the server's certificate is trusted",
			"{ACCEPTED}", "{SPOOL}", wouldArrive)
	})
}

// Connections that fail for TLS, by the line that says so.
func TestTLSMistakes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		dir, other := t.TempDir(), t.TempDir()
		ca, stranger := otlptest.NewTLS(t, dir), otlptest.NewTLS(t, other)
		plain := otlptest.New(t, otlptest.Config{})
		secure := otlptest.New(t, otlptest.Config{TLS: ca})
		mutual := *ca
		mutual.RequireClientCert = true
		strict := otlptest.New(t, otlptest.Config{TLS: &mutual})
		notPEM := filepath.Join(dir, "not.pem")
		write(t, notPEM, "no certificate")
		otherProtocol := exporter.ProtocolHTTP
		if protocol == exporter.ProtocolHTTP {
			otherProtocol = exporter.ProtocolGRPC
		}
		path := map[string]string{exporter.ProtocolHTTP: "/v1/traces"}[protocol]

		for _, c := range []struct {
			name, scheme, addr string
			ca, cert, key      string
			want               string
		}{
			{"plaintext to TLS", "http", addr(secure, protocol), "", "", "",
				"FAIL  TLS: the server at {ADDR} speaks TLS -> write https:// in --endpoint"},
			{"plaintext to TLS with client certificates", "http", addr(strict, protocol), "", "", "",
				"FAIL  TLS: the server at {ADDR} speaks TLS -> write https:// in --endpoint"},
			{"plaintext to TLS of the other protocol", "http", addr(secure, otherProtocol), "", "", "",
				"FAIL  TLS: the server at {ADDR} speaks TLS -> write https:// in --endpoint"},
			{"TLS to plaintext", "https", addr(plain, protocol), "", "", "",
				"FAIL  TLS: the server at {ADDR} does not speak TLS -> write http:// in --endpoint"},
			{"TLS to plaintext of the other protocol", "https", addr(plain, otherProtocol), "", "", "",
				"FAIL  TLS: the server at {ADDR} does not speak TLS -> write http:// in --endpoint"},
			{"no authority", "https", addr(secure, protocol), "", "", "",
				"FAIL  TLS: the server's certificate is signed by an authority that is not trusted: CN=test authority -> put the certificate of that authority into a PEM file and name it in OTEL_EXPORTER_OTLP_CERTIFICATE"},
			{"other authority", "https", addr(secure, protocol), stranger.CAFile, "", "",
				"FAIL  TLS: the server's certificate is signed by an authority that is not trusted: CN=test authority -> put the certificate of that authority into a PEM file and name it in OTEL_EXPORTER_OTLP_CERTIFICATE"},
			{"no client certificate", "https", addr(strict, protocol), ca.CAFile, "", "",
				"FAIL  TLS: the server wants a client certificate (tls: certificate required) -> name it in OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and its key in OTEL_EXPORTER_OTLP_CLIENT_KEY"},
			{"client certificate of another authority", "https", addr(strict, protocol), ca.CAFile, stranger.CertFile, stranger.KeyFile,
				"FAIL  TLS: the server does not accept our client certificate (tls: unknown certificate authority) -> name one that it accepts in OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				e := to(c.scheme+"://"+c.addr, protocol).with(caVar, c.ca).with(certVar, c.cert).with(keyVar, c.key)
				e.run(t).want(t, map[string]string{"ADDR": c.addr}, false,
					viaEndpoint, "{ALL}",
					"ok    endpoint: "+c.scheme+"://{ADDR}"+path+" over "+protocol+" (--endpoint)",
					"ok    connect: {ADDR} takes connections",
					c.want, "{SPOOL}", oneProblem)
			})
		}
		t.Run("no answer", func(t *testing.T) {
			t.Parallel()
			hole := otlptest.BlackHole(t)
			to("https://"+hole, protocol).flag("flush-timeout", "500ms").run(t).want(t, map[string]string{"ADDR": hole}, false,
				viaEndpoint, "{ALL}",
				"ok    endpoint: https://{ADDR}"+path+" over "+protocol+" (--endpoint)",
				"ok    connect: {ADDR} takes connections",
				"FAIL  TLS: no answer from {ADDR} within 500ms -> look at the receiver, or for a firewall in between",
				"{SPOOL}", oneProblem)
		})
		for _, c := range []struct{ name, ca, cert, key, want string }{
			{"no PEM", notPEM, "", "", "FAIL  otlp: tls.ca_file: {DIR}/not.pem holds no PEM certificate -> correct the setting, or what it names"},
			{"key of another certificate", "", ca.CertFile, stranger.KeyFile,
				"FAIL  otlp: tls.cert_file: client certificate {DIR}/client.pem with key {OTHER}/client-key.pem: tls: private key does not match public key -> correct the setting, or what it names"},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				e := to(secure.URL(protocol), protocol).with(caVar, c.ca).with(certVar, c.cert).with(keyVar, c.key)
				e.run(t).want(t, map[string]string{"DIR": dir, "OTHER": other}, false,
					viaEndpoint, "{ALL}", c.want, "{SPOOL}", oneProblem)
			})
		}
	})
}

// TLS on both sides, but not the same protocol.
func TestWrongProtocolOverTLS(t *testing.T) {
	t.Parallel()
	ca := otlptest.NewTLS(t, t.TempDir())
	r := otlptest.New(t, otlptest.Config{TLS: ca})
	to("https://"+r.GRPCAddr(), exporter.ProtocolHTTP).with(caVar, ca.CAFile).run(t).want(t, map[string]string{"ADDR": r.GRPCAddr()}, false,
		viaEndpoint, "{ALL}",
		"ok    endpoint: https://{ADDR}/v1/traces over http/protobuf (--endpoint)",
		"ok    connect: {ADDR} takes connections",
		"ok    TLS: the server's certificate is trusted",
		"FAIL  test span: the server at {ADDR} speaks gRPC, not HTTP -> set --protocol to grpc, or use the receiver's port for HTTP, usually 4318",
		"{SPOOL}", oneProblem)
	to("https://"+r.HTTPAddr(), exporter.ProtocolGRPC).with(caVar, ca.CAFile).run(t).want(t, map[string]string{"ADDR": r.HTTPAddr()}, false,
		viaEndpoint, "{ALL}",
		"ok    endpoint: https://{ADDR} over grpc (--endpoint)",
		"ok    connect: {ADDR} takes connections",
		"ok    TLS: the server's certificate is trusted",
		"FAIL  test span: the server at {ADDR} speaks HTTP, not gRPC -> set --protocol to http/protobuf, or use the receiver's port for gRPC, usually 4317",
		"{SPOOL}", oneProblem)
}

// A certificate that is good, but for another name.
func TestOtherName(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has loopback addresses to choose from")
	}
	each(t, func(t *testing.T, protocol string) {
		ca := otlptest.NewTLS(t, t.TempDir())
		r := otlptest.New(t, otlptest.Config{TLS: ca, GRPCAddr: "127.67.0.2:0", HTTPAddr: "127.67.0.2:0"})
		to(r.URL(protocol), protocol).with(caVar, ca.CAFile).run(t).want(t,
			map[string]string{"URL": shownURL(r, protocol), "ADDR": addr(r, protocol), "PROTOCOL": protocol}, false,
			viaEndpoint, "{ALL}",
			"ok    endpoint: {URL} over {PROTOCOL} (--endpoint)",
			"ok    connect: {ADDR} takes connections",
			"FAIL  TLS: the server's certificate is not for 127.67.0.2 but for localhost, 127.0.0.1, ::1 -> use such a name in --endpoint, or get a certificate for 127.67.0.2",
			"{SPOOL}", oneProblem)
	})
}

// Servers whose TLS the receiver for tests does not have.
func TestUnusualServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, protocol string
		tls            *tls.Config
		want           string
	}{
		{"expired", exporter.ProtocolHTTP, &tls.Config{Certificates: []tls.Certificate{expired(t)}},
			"FAIL  TLS: the server's certificate is only valid from 2020-01-01 00:00 UTC to 2021-01-01 00:00 UTC -> renew it, or correct the clock of this machine"},
		{"no HTTP/2", exporter.ProtocolGRPC, &tls.Config{NextProtos: []string{"http/1.1"}},
			"FAIL  TLS: the server does not speak HTTP/2, which gRPC needs -> set --protocol to http/protobuf"},
		{"old TLS", exporter.ProtocolHTTP, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11},
			"FAIL  TLS: the server speaks no version of TLS that is safe -> have it speak TLS 1.2 or 1.3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.TLS = c.tls
			server.StartTLS()
			t.Cleanup(server.Close)
			address := server.Listener.Addr().String()
			path := map[string]string{exporter.ProtocolHTTP: "/v1/traces"}[c.protocol]
			to("https://"+address, c.protocol).run(t).want(t, map[string]string{"ADDR": address}, false,
				viaEndpoint, "{ALL}",
				"ok    endpoint: https://{ADDR}"+path+" over "+c.protocol+" (--endpoint)",
				"ok    connect: {ADDR} takes connections",
				c.want, "{SPOOL}", oneProblem)
		})
	}
}

// A client certificate that crypto/tls does not even show, because of who the server says it trusts.
func TestClientCertificateNotShown(t *testing.T) {
	t.Parallel()
	ours := otlptest.NewTLS(t, t.TempDir())
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	pool := x509.NewCertPool()
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	server.StartTLS()
	t.Cleanup(server.Close)
	pool.AddCert(server.Certificate())
	to(server.URL, exporter.ProtocolHTTP).with(caVar, caFile(t, server)).with(certVar, ours.CertFile).with(keyVar, ours.KeyFile).run(t).want(t,
		map[string]string{"URL": server.URL, "ADDR": server.Listener.Addr().String()}, false,
		viaEndpoint, "{ALL}",
		"ok    endpoint: {URL}/v1/traces over http/protobuf (--endpoint)",
		"ok    connect: {ADDR} takes connections",
		"FAIL  TLS: the server wants a client certificate of another authority than ours is of -> name one that it accepts in OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
		"{SPOOL}", oneProblem)
}

// A server that asks for a client certificate, takes none for an answer, and then waits for the request.
func TestOptionalClientCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)
	got := to(server.URL, exporter.ProtocolHTTP).with(caVar, caFile(t, server)).run(t)
	if want := "ok    TLS: the server's certificate is trusted"; !got.ok || got.findings[4] != want {
		t.Errorf("%v %q", got.ok, got.findings)
	}
}

// Servers that hang up on a handshake: one that does nothing else, and one that speaks HTTP.
func TestHangsUp(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]string{
		"FAIL  TLS: no connection with TLS: EOF -> look at the receiver's TLS settings":     "",
		"FAIL  TLS: the server at {ADDR} does not speak TLS -> write http:// in --endpoint": "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
				all := make([]byte, 1<<16) // a handshake's first message, or a request, in one piece
				if n, _ := conn.Read(all); n > 0 && all[0] == 'P' {
					_, _ = io.WriteString(conn, answer)
				}
				_ = conn.Close()
			}
		}()
		to("https://"+ln.Addr().String(), exporter.ProtocolHTTP).run(t).want(t, map[string]string{"ADDR": ln.Addr().String()}, false,
			viaEndpoint, "{ALL}",
			"ok    endpoint: https://{ADDR}/v1/traces over http/protobuf (--endpoint)",
			"ok    connect: {ADDR} takes connections",
			want, "{SPOOL}", oneProblem)
		_ = ln.Close()
		<-done
	}
}

func caFile(t *testing.T, server *httptest.Server) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.pem")
	write(t, path, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	return path
}

func expired(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
