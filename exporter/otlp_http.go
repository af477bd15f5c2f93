package exporter

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 64 << 10

// newHTTPClient makes the SDK's client on an HTTP client of our own.
func newHTTPClient(t Target, userAgent string) (otlptrace.Client, func(), error) {
	own, err := observedHTTP(t, userAgent, partialTraces)
	if err != nil {
		return nil, nil, err
	}
	compression := otlptracehttp.NoCompression
	if t.Compression == "gzip" {
		compression = otlptracehttp.GzipCompression
	}
	client := otlptracehttp.NewClient(
		otlptracehttp.WithEndpointURL(t.URL.String()),
		otlptracehttp.WithHeaders(t.Headers),
		otlptracehttp.WithCompression(compression),
		otlptracehttp.WithEncoding(otlptracehttp.EncodingProtobuf),
		otlptracehttp.WithTimeout(t.Timeout),
		otlptracehttp.WithTLSClientConfig(nil), // with one from the environment a plaintext endpoint is refused
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false}),
		otlptracehttp.WithHTTPClient(own),
	)
	return client, own.CloseIdleConnections, nil
}

// observedHTTP makes a client that sees the answers and does not follow redirects: headers with keys in them would go
// along. Its connections end with CloseIdleConnections. partial reads a partial success from an answer.
func observedHTTP(t Target, userAgent string, partial partialReader) (*http.Client, error) {
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   parallelSends,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   5 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
	if !t.Plaintext {
		config, err := tlsConfig(t)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = config
	}
	return &http.Client{
		Transport:     &observeHTTP{next: transport, target: t, userAgent: userAgent, partial: partial},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// partialReader reads what of a request was rejected from the message of an answer in protobuf, or in JSON.
type partialReader func(body []byte, unmarshal func([]byte, proto.Message) error) (rejected int64, message string, err error)

// observeHTTP notes what a request came to.
type observeHTTP struct {
	next      *http.Transport
	target    Target
	userAgent string
	partial   partialReader
}

// CloseIdleConnections is for [http.Client.CloseIdleConnections].
func (o *observeHTTP) CloseIdleConnections() { o.next.CloseIdleConnections() }

func (o *observeHTTP) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	a := attemptOf(ctx)
	var sent atomic.Bool
	req = req.Clone(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) { sent.Store(info.Err == nil) },
	}))
	req.URL = o.target.URL // the SDK drops a query
	req.Header.Set("User-Agent", strings.TrimSpace(o.userAgent+" "+req.Header.Get("User-Agent")))
	resp, err := o.next.RoundTrip(req)
	a.answered = true
	if err != nil {
		a.reason, a.err = httpErrorReason(ctx, err), err
		if sent.Load() && a.reason != BadTLS && a.reason != WrongService {
			a.uncertain = 1
		}
		return nil, err
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if resp.StatusCode/100 == 2 && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		a.reason, a.err = WrongService, fmt.Errorf("%s, but with a web page", resp.Status)
		return resp, nil
	}
	if resp.StatusCode/100 == 2 {
		a.rejected, a.message = o.partialSuccess(resp.Header.Get("Content-Type"), body)
		return resp, nil
	}
	a.reason = statusReason(resp.StatusCode, string(body))
	a.err = errors.New(strings.TrimSuffix(resp.Status+": "+firstLine(string(body)), ": "))
	if location := resp.Header.Get("Location"); location != "" {
		a.err = fmt.Errorf("%s: redirected to %s", resp.Status, location)
	}
	a.retryAfter = retryAfter(resp.Header.Get("Retry-After"))
	return resp, nil
}

func (o *observeHTTP) partialSuccess(contentType string, body []byte) (rejected int64, message string) {
	unmarshal := proto.Unmarshal
	if strings.HasPrefix(contentType, "application/json") {
		unmarshal = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal
	}
	rejected, message, err := o.partial(body, unmarshal)
	if err != nil {
		return 0, "" // some receivers answer with a word of their own
	}
	return rejected, message
}

func partialTraces(body []byte, unmarshal func([]byte, proto.Message) error) (rejected int64, message string, err error) {
	var response coltracepb.ExportTraceServiceResponse
	err = unmarshal(body, &response)
	return response.GetPartialSuccess().GetRejectedSpans(), response.GetPartialSuccess().GetErrorMessage(), err
}

// statusReason classifies a status by the OTLP specification ("Failures" of OTLP/HTTP).
func statusReason(status int, body string) Reason {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return Unavailable
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return Unauthorized
	case http.StatusRequestEntityTooLarge:
		return TooLarge
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType:
		return WrongService
	case http.StatusBadRequest:
		if strings.Contains(body, "HTTP request to an HTTPS server") || strings.Contains(body, "plain HTTP request was sent to HTTPS port") {
			return BadTLS // as Go's and nginx's servers put it
		}
	}
	if status/100 == 3 {
		return WrongService
	}
	return BadRequest
}

// httpErrorReason classifies why there was no answer.
func httpErrorReason(ctx context.Context, err error) Reason {
	var (
		record    tls.RecordHeaderError
		alert     tls.AlertError
		cert      *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		network   net.Error
	)
	switch {
	case errors.As(err, &record), errors.As(err, &alert), errors.As(err, &cert), errors.As(err, &authority),
		errors.Is(err, http.ErrSchemeMismatch), strings.Contains(err.Error(), "remote error: tls: "):
		return BadTLS
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused
	case strings.Contains(err.Error(), "malformed HTTP"):
		return WrongService // gRPC's frames, read as a status line
	case ctx.Err() != nil, errors.As(err, &network) && network.Timeout():
		return TimedOut
	}
	return Unreachable
}

// retryAfter reads the header: seconds or a date.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 24*3600)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 200 {
		s = valid(s[:200]) + "…"
	}
	return strings.TrimSpace(s)
}
