package exporter

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Protocols of OTLP.
const (
	ProtocolGRPC = "grpc"
	ProtocolHTTP = "http/protobuf"
)

// tracesPath is where OTLP/HTTP has traces under a base URL.
const tracesPath = "/v1/traces"

// DefaultTimeout is how long one batch may take with all its retries, as in the OTLP exporter specification.
const DefaultTimeout = 10 * time.Second

// OTLP is the configuration of the exporter of that name. What is left zero comes from the OTEL_EXPORTER_OTLP_*
// variables, those for traces before the general ones, else from the defaults of the OpenTelemetry specification.
type OTLP struct {
	Endpoint    string            // URL; over HTTP /v1/traces is appended unless it ends so or is exact
	Exact       bool              // Endpoint is where traces go, with its path
	Protocol    string            // ProtocolGRPC or ProtocolHTTP
	Headers     map[string]string // nil: from the environment; empty: none
	Compression string            // gzip or none
	Timeout     time.Duration     // for one batch with its retries
	CAFile      string            // PEM
	CertFile    string            // PEM, with KeyFile
	KeyFile     string
	Insecure    bool // plaintext, for a gRPC endpoint without a scheme
}

// Target is where and how to send, everything resolved.
type Target struct {
	Protocol    string
	URL         *url.URL // HTTP: of the request; gRPC: scheme and host alone
	Plaintext   bool
	Headers     map[string]string // secret
	Compression string            // gzip or ""
	Timeout     time.Duration
	CAFile      string
	CertFile    string
	KeyFile     string

	// Origins says for Endpoint, Protocol, Headers, Compression, Timeout, CAFile and CertFile which environment
	// variable it came from; "" or absent: the configuration or a default.
	Origins map[string]string
}

// Endpoint is the URL to show and to record: nothing in it can be secret.
func (t Target) Endpoint() string {
	u := *t.URL
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Resolve works out the target. Warnings are for things that work but are likely not meant; an error names every
// key that cannot be used and never holds a header's value.
func (o OTLP) Resolve(getenv func(string) string) (t Target, warnings []string, err error) {
	r := resolver{getenv: getenv, target: Target{Origins: make(map[string]string)}}
	r.endpoint(o)
	r.headers(o)
	r.compression(o)
	r.timeout(o)
	r.files(o)
	return r.target, r.warnings, errors.Join(r.errs...)
}

type resolver struct {
	getenv   func(string) string
	target   Target
	warnings []string
	errs     []error
}

func (r *resolver) fail(format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf(format, args...))
}
func (r *resolver) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// env returns the value of the variable for traces, else of the general one, and the name of it.
func (r *resolver) env(name string) (value, key string) {
	for _, key := range []string{"OTEL_EXPORTER_OTLP_TRACES_" + name, "OTEL_EXPORTER_OTLP_" + name} {
		if v := strings.TrimSpace(r.getenv(key)); v != "" {
			return v, key
		}
	}
	return "", ""
}

// endpoint resolves protocol and URL, which depend on each other.
func (r *resolver) endpoint(o OTLP) {
	raw, key := o.Endpoint, "endpoint"
	own := raw != ""
	if !own {
		if raw, key = r.env("ENDPOINT"); raw != "" {
			r.target.Origins["Endpoint"] = key
		}
	}
	protocol, protocolKey := o.Protocol, "protocol"
	if protocol == "" {
		if protocol, protocolKey = r.env("PROTOCOL"); protocol != "" {
			r.target.Origins["Protocol"] = protocolKey
		}
	}
	switch protocol {
	case "", ProtocolGRPC, ProtocolHTTP:
	default:
		r.fail("%s: %q is not supported; use %s or %s", protocolKey, protocol, ProtocolGRPC, ProtocolHTTP)
		protocol = ProtocolHTTP
	}
	if raw == "" {
		raw, key = "http://localhost:4318", "endpoint"
		if protocol == ProtocolGRPC {
			raw = "http://localhost:4317"
		}
	}

	u, err := url.Parse(raw)
	switch {
	case err == nil && u.Host == "" && u.Scheme == "unix" && u.Path != "":
		// a socket, gRPC's form
	case err != nil || u.Host == "" || !knownScheme(u.Scheme):
		u = r.withoutScheme(raw, key, protocol, own, o.Insecure)
		if u == nil {
			return
		}
	}
	if u.User != nil {
		r.fail("%s: user and password in a URL are not supported; use a header such as authorization=Basic%%20…", key)
		return
	}
	if protocol == "" {
		protocol = guessProtocol(u, own)
	}
	r.target.Protocol = protocol
	r.target.Plaintext = u.Scheme != "https"
	if protocol == ProtocolGRPC {
		r.grpcURL(u, key)
		return
	}
	r.httpURL(u, key, own && o.Exact)
}

func knownScheme(s string) bool { return s == "http" || s == "https" }

// withoutScheme handles what is no URL. The specification lets a gRPC endpoint be host:port; everything else is an
// error that shows the likely value.
func (r *resolver) withoutScheme(raw, key, protocol string, own, insecure bool) *url.URL {
	host, port, err := net.SplitHostPort(raw)
	if n, numErr := strconv.Atoi(port); err != nil || numErr != nil || n < 1 || n > 65535 || host == "" || strings.ContainsAny(host, "/@ ") {
		if u, err := url.Parse("http://" + raw); err == nil && u.Hostname() != "" && u.User == nil && !strings.Contains(raw, "://") {
			r.fail("%s: %q has no scheme; did you mean http://%s?", key, raw, raw)
		} else {
			r.fail("%s: not a URL such as http://localhost:4318", key) // not repeated: it may hold a password
		}
		return nil
	}
	if own || protocol != ProtocolGRPC {
		r.fail("%s: %q has no scheme; did you mean http://%s?", key, raw, raw)
		return nil
	}
	if text, _ := r.env("INSECURE"); strings.EqualFold(text, "true") {
		insecure = true
	}
	scheme := "https"
	if insecure {
		scheme = "http"
	}
	r.warn("%s: %q has no scheme; taken for %s://%s", key, raw, scheme, raw)
	return &url.URL{Scheme: scheme, Host: raw}
}

func guessProtocol(u *url.URL, own bool) string {
	switch {
	case u.Scheme == "unix", u.Port() == "4317":
		return ProtocolGRPC
	case u.Port() == "4318", strings.Trim(u.Path, "/") != "":
		return ProtocolHTTP
	case own:
		return ProtocolGRPC
	}
	return ProtocolHTTP
}

func (r *resolver) grpcURL(u *url.URL, key string) {
	r.target.URL = &url.URL{Scheme: u.Scheme, Host: u.Host}
	switch {
	case u.Scheme == "unix":
		r.target.URL = &url.URL{Scheme: "unix", Path: u.Path}
	case strings.Trim(u.Path, "/") != "":
		r.warn("%s: gRPC has no path, %q is ignored; for HTTP set the protocol to %s", key, u.Path, ProtocolHTTP)
	case u.Port() == "4318":
		r.warn("%s: 4318 is the usual port of HTTP; for HTTP set the protocol to %s", key, ProtocolHTTP)
	}
	if u.Port() == "" && u.Host != "" {
		port := "443"
		if u.Scheme == "http" {
			port = "80"
		}
		r.target.URL.Host = net.JoinHostPort(u.Hostname(), port)
	}
}

// httpURL follows the specification: a general endpoint is a base, one for traces is used as it is.
func (r *resolver) httpURL(u *url.URL, key string, exact bool) {
	if u.Scheme == "unix" {
		r.fail("%s: a unix socket needs the protocol %s", key, ProtocolGRPC)
		return
	}
	if u.Port() == "4317" {
		r.warn("%s: 4317 is the usual port of gRPC; for gRPC set the protocol to %s", key, ProtocolGRPC)
	}
	full := *u
	full.Fragment, full.RawFragment = "", ""
	switch {
	case exact:
		full.Path = orElse(full.Path, "/")
	case strings.HasSuffix(key, "_TRACES_ENDPOINT"):
		if strings.Trim(u.Path, "/") == "" {
			full.Path = "/"
			r.warn("%s: it is used as it is, without a path; did you mean %s?", key, (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: tracesPath}).String())
		}
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), tracesPath):
		if key != "endpoint" {
			r.warn("%s: %s is appended to it; it ends so already and is used as it is", key, tracesPath)
		}
	default:
		full.Path = orElse(full.Path, "/")
		full = *full.JoinPath(tracesPath)
	}
	r.target.URL = &full
}

func (r *resolver) compression(o OTLP) {
	value, key := o.Compression, "compression"
	if value == "" {
		if value, key = r.env("COMPRESSION"); value != "" {
			r.target.Origins["Compression"] = key
		}
	}
	switch value {
	case "gzip":
		r.target.Compression = value
	case "", "none":
	default:
		r.fail("%s: %q is not supported; use gzip or none", key, value)
	}
}

func (r *resolver) timeout(o OTLP) {
	r.target.Timeout = DefaultTimeout
	if o.Timeout > 0 {
		r.target.Timeout = o.Timeout
		return
	}
	text, key := r.env("TIMEOUT")
	if text == "" {
		return
	}
	ms, err := strconv.Atoi(text)
	switch {
	case err != nil || ms < 0:
		r.fail("%s: %q is no number of milliseconds", key, text)
	case ms > 0: // 0 is no limit, of which there is another one
		r.target.Timeout = time.Duration(ms) * time.Millisecond
		r.target.Origins["Timeout"] = key
	}
}

func (r *resolver) files(o OTLP) {
	pick := func(given, name, origin string) string {
		if given != "" {
			return given
		}
		value, key := r.env(name)
		if value != "" {
			r.target.Origins[origin] = key
		}
		return value
	}
	r.target.CAFile = pick(o.CAFile, "CERTIFICATE", "CAFile")
	r.target.CertFile = pick(o.CertFile, "CLIENT_CERTIFICATE", "CertFile")
	r.target.KeyFile = pick(o.KeyFile, "CLIENT_KEY", "KeyFile")
	if (r.target.CertFile == "") != (r.target.KeyFile == "") {
		r.fail("tls: a client certificate and its key are needed together")
	}
	if r.target.URL == nil || r.target.Plaintext {
		return // a general certificate does not make a plaintext endpoint secure
	}
	if _, err := tlsConfig(r.target); err != nil {
		r.errs = append(r.errs, err)
	}
}
