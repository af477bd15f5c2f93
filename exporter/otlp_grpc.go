package exporter

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	colmetricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
)

// newGRPCClient makes the SDK's client on a connection of our own.
func newGRPCClient(t Target, userAgent string) (otlptrace.Client, func(), error) {
	conn, err := dialGRPC(t, userAgent)
	if err != nil {
		return nil, nil, err
	}
	client := otlptracegrpc.NewClient(
		otlptracegrpc.WithGRPCConn(conn),
		otlptracegrpc.WithHeaders(t.Headers),
		otlptracegrpc.WithTimeout(t.Timeout),
		otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{Enabled: false}),
	)
	return client, func() { _ = conn.Close() }, nil
}

// dialGRPC makes a connection on which reconnecting is quick, no DNS TXT record is asked for, and a certificate in the
// environment does not turn a plaintext endpoint into a TLS one. It connects in the background.
func dialGRPC(t Target, userAgent string) (*grpc.ClientConn, error) {
	creds := insecure.NewCredentials()
	if !t.Plaintext {
		config, err := tlsConfig(t)
		if err != nil {
			return nil, err
		}
		creds = credentials.NewTLS(config)
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithUserAgent(userAgent),
		grpc.WithDisableServiceConfig(),
		grpc.WithUnaryInterceptor(observeGRPC),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: firstBackoff / 2, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
			MinConnectTimeout: 5 * time.Second,
		}),
	}
	if t.Compression == gzip.Name {
		options = append(options, grpc.WithDefaultCallOptions(grpc.UseCompressor(gzip.Name)))
	}
	address := "dns:///" + t.URL.Host
	if t.URL.Scheme == "unix" {
		address = "unix:" + t.URL.Path
	}
	conn, err := grpc.NewClient(address, options...)
	if err != nil {
		return nil, err
	}
	conn.Connect() // in the background: most likely there is something to send soon
	return conn, nil
}

// observeGRPC notes what a call came to.
func observeGRPC(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, req, reply, conn, opts...)
	a := attemptOf(ctx)
	a.answered = true
	if err != nil {
		s := status.Convert(err)
		a.reason, a.retryAfter = grpcReason(ctx, s)
		a.err = errors.New(grpcText(s))
		if (a.reason == TimedOut || a.reason == Unreachable) && !strings.Contains(s.Message(), "connection error") && !strings.Contains(s.Message(), "name resolver error") {
			a.uncertain = 1
		}
		return err
	}
	switch response := reply.(type) {
	case *coltracepb.ExportTraceServiceResponse:
		a.rejected = response.GetPartialSuccess().GetRejectedSpans()
		a.message = response.GetPartialSuccess().GetErrorMessage()
	case *colmetricspb.ExportMetricsServiceResponse:
		a.rejected = response.GetPartialSuccess().GetRejectedDataPoints()
		a.message = response.GetPartialSuccess().GetErrorMessage()
	}
	return nil
}
