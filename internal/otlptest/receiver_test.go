package otlptest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"cbc-otel/internal/otlptest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// client is the SDK's own client: what it can talk to, others can.
func client(t *testing.T, r *otlptest.Receiver, protocol string, ca *otlptest.TLS, gzip bool) otlptrace.Client {
	t.Helper()
	headers := map[string]string{"x-tenant": "a b"}
	var config *tls.Config
	if ca != nil {
		pem, err := os.ReadFile(ca.CAFile)
		if err != nil {
			t.Fatal(err)
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		config = &tls.Config{RootCAs: pool}
	}
	var c otlptrace.Client
	if protocol == "grpc" {
		opts := []otlptracegrpc.Option{otlptracegrpc.WithEndpointURL(r.GRPCURL()), otlptracegrpc.WithHeaders(headers), otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{})}
		if config != nil {
			opts = append(opts, otlptracegrpc.WithTLSCredentials(credentials.NewTLS(config)))
		}
		if gzip {
			opts = append(opts, otlptracegrpc.WithCompressor("gzip"))
		}
		c = otlptracegrpc.NewClient(opts...)
	} else {
		opts := []otlptracehttp.Option{otlptracehttp.WithEndpointURL(r.HTTPURL() + otlptest.TracesPath), otlptracehttp.WithHeaders(headers), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{})}
		if config != nil {
			opts = append(opts, otlptracehttp.WithTLSClientConfig(config))
		}
		if gzip {
			opts = append(opts, otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
		}
		if protocol == "http/json" {
			opts = append(opts, otlptracehttp.WithEncoding(otlptracehttp.EncodingJSON))
		}
		c = otlptracehttp.NewClient(opts...)
	}
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop(context.Background()) })
	return c
}

func spans(names ...string) []*tracepb.ResourceSpans {
	ss := &tracepb.ScopeSpans{Scope: &commonpb.InstrumentationScope{Name: "scope", Version: "1"}}
	for i, name := range names {
		ss.Spans = append(ss.Spans, &tracepb.Span{TraceId: []byte("0123456789abcdef"), SpanId: []byte{1, 2, 3, 4, 5, 6, 7, byte(i + 1)}, Name: name})
	}
	value := &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: "svc"}}
	return []*tracepb.ResourceSpans{{
		Resource:   &resourcepb.Resource{Attributes: []*commonpb.KeyValue{{Key: "service.name", Value: value}}},
		ScopeSpans: []*tracepb.ScopeSpans{ss},
	}}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"grpc", "http/protobuf", "http/json"} {
		for _, variant := range []string{"plain", "gzip", "tls"} {
			t.Run(protocol+"/"+variant, func(t *testing.T) {
				t.Parallel()
				var ca *otlptest.TLS
				if variant == "tls" {
					ca = otlptest.NewTLS(t, t.TempDir())
				}
				r := otlptest.New(t, otlptest.Config{TLS: ca})
				if err := client(t, r, protocol, ca, variant == "gzip").UploadTraces(t.Context(), spans("a", "b")); err != nil {
					t.Fatal(err)
				}
				if !r.Wait(t.Context(), 2) {
					t.Fatal("no spans")
				}
				req := r.Requests()[0]
				got := []string{req.Protocol, req.Encoding, req.Header.Get("X-Tenant")}
				want := []string{protocol, "", "a b"}
				if variant == "gzip" {
					want[1] = "gzip"
				}
				if strings.Join(got, "|") != strings.Join(want, "|") || req.Size == 0 || req.Number != 1 || !req.Taken {
					t.Errorf("request %q %+v, want %q", got, req, want)
				}
				s := r.Spans()
				if len(s) != 2 || s[1].Name != "b" || s[1].Scope != "scope@1" || s[1].Resource["service.name"] != "svc" ||
					s[1].ID() != "30313233343536373839616263646566/0102030405060702" {
					t.Errorf("spans %+v", s)
				}
			})
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"grpc", "http/protobuf"} {
		upload := func(t *testing.T, config otlptest.Config, n int) (*otlptest.Receiver, error) {
			r := otlptest.New(t, config)
			c := client(t, r, protocol, nil, false)
			var err error
			for range n {
				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				err = c.UploadTraces(ctx, spans("a"))
				cancel()
			}
			return r, err
		}
		t.Run(protocol+"/status", func(t *testing.T) {
			t.Parallel()
			r, err := upload(t, otlptest.Config{Fault: otlptest.First(1, otlptest.Answer{Status: http.StatusUnauthorized, Message: "who are you"})}, 1)
			if err == nil || !strings.Contains(err.Error(), "who are you") {
				t.Errorf("error %v", err)
			}
			if protocol == "grpc" && status.Code(err) != codes.Unauthenticated {
				t.Errorf("code %v", status.Code(err))
			}
			if len(r.Spans()) != 0 || len(r.Requests()) != 1 {
				t.Errorf("%d spans, %d requests", len(r.Spans()), len(r.Requests()))
			}
		})
		t.Run(protocol+"/every", func(t *testing.T) {
			t.Parallel()
			r, _ := upload(t, otlptest.Config{Fault: otlptest.Every(3, otlptest.Answer{Status: http.StatusServiceUnavailable})}, 6)
			if len(r.Spans()) != 4 || len(r.Requests()) != 6 {
				t.Errorf("%d spans, %d requests", len(r.Spans()), len(r.Requests()))
			}
		})
		t.Run(protocol+"/drop", func(t *testing.T) {
			t.Parallel()
			r, err := upload(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Drop: true})}, 1)
			if err == nil || r.Count()["30313233343536373839616263646566/0102030405060701"] != 1 {
				t.Errorf("error %v, spans %v", err, r.Count())
			}
		})
		t.Run(protocol+"/hang", func(t *testing.T) {
			t.Parallel()
			r, err := upload(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Hang: true})}, 1)
			if err == nil || len(r.Spans()) != 0 {
				t.Errorf("error %v, spans %v", err, r.Count())
			}
		})
		t.Run(protocol+"/too large", func(t *testing.T) {
			t.Parallel()
			if _, err := upload(t, otlptest.Config{MaxMessage: 20}, 1); err == nil {
				t.Error("no error")
			}
		})
		t.Run(protocol+"/closed", func(t *testing.T) {
			t.Parallel()
			r := otlptest.New(t, otlptest.Config{})
			c := client(t, r, protocol, nil, false)
			r.Close()
			if err := c.UploadTraces(t.Context(), spans("a")); err == nil {
				t.Error("no error")
			}
			again := otlptest.New(t, otlptest.Config{GRPCAddr: r.GRPCAddr(), HTTPAddr: r.HTTPAddr()})
			if err := client(t, again, protocol, nil, false).UploadTraces(t.Context(), spans("a")); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("path", func(t *testing.T) {
		t.Parallel()
		r := otlptest.New(t, otlptest.Config{Path: "/api/otel/v1/traces"})
		err := client(t, r, "http/protobuf", nil, false).UploadTraces(t.Context(), spans("a"))
		if err == nil || !strings.Contains(err.Error(), "404") || r.Requests()[0].Path != "/v1/traces" {
			t.Errorf("error %v", err)
		}
	})
	t.Run("partial", func(t *testing.T) {
		t.Parallel()
		r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Rejected: 1, Message: "no"})})
		err := client(t, r, "grpc", nil, false).UploadTraces(t.Context(), spans("a", "b"))
		if err == nil || !strings.Contains(err.Error(), "no (1 spans rejected)") {
			t.Errorf("error %v", err)
		}
	})
}
