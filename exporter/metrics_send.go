package exporter

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"

	colmetricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// metricClient makes one request of what Marshal gives for a MetricsData message.
type metricClient struct {
	send  func(ctx context.Context, request *colmetricspb.ExportMetricsServiceRequest) error
	close func()
}

// newMetricClient opens a client of the target's protocol. What a request came to is noted by the transport, as for
// traces: see attemptOf.
func newMetricClient(t Target, userAgent string) (*metricClient, error) {
	if t.Protocol == ProtocolGRPC {
		return newGRPCMetrics(t, userAgent)
	}
	return newHTTPMetrics(t, userAgent)
}

func newGRPCMetrics(t Target, userAgent string) (*metricClient, error) {
	conn, err := dialGRPC(t, userAgent)
	if err != nil {
		return nil, err
	}
	service := colmetricspb.NewMetricsServiceClient(conn)
	return &metricClient{
		send: func(ctx context.Context, request *colmetricspb.ExportMetricsServiceRequest) error {
			if len(t.Headers) > 0 {
				ctx = metadata.NewOutgoingContext(ctx, metadata.New(t.Headers))
			}
			_, err := service.Export(ctx, request)
			return err
		},
		close: func() { _ = conn.Close() },
	}, nil
}

func newHTTPMetrics(t Target, userAgent string) (*metricClient, error) {
	client, err := observedHTTP(t, userAgent, partialMetrics)
	if err != nil {
		return nil, err
	}
	return &metricClient{
		send: func(ctx context.Context, request *colmetricspb.ExportMetricsServiceRequest) error {
			req, err := metricRequest(ctx, t, request)
			if err != nil {
				return err
			}
			resp, err := client.Do(req)
			if err != nil {
				return err
			}
			return resp.Body.Close()
		},
		close: client.CloseIdleConnections,
	}, nil
}

// metricRequest makes the request of OTLP/HTTP in protobuf.
func metricRequest(ctx context.Context, t Target, message proto.Message) (*http.Request, error) {
	body, err := proto.Marshal(message)
	if err != nil {
		return nil, err
	}
	if t.Compression == "gzip" {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body) // a buffer takes everything
		_ = w.Close()
		body = packed.Bytes()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range t.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	if t.Compression == "gzip" {
		req.Header.Set("Content-Encoding", "gzip")
	}
	return req, nil
}

func partialMetrics(body []byte, unmarshal func([]byte, proto.Message) error) (rejected int64, message string, err error) {
	var response colmetricspb.ExportMetricsServiceResponse
	err = unmarshal(body, &response)
	return response.GetPartialSuccess().GetRejectedDataPoints(), response.GetPartialSuccess().GetErrorMessage(), err
}

func (c *metricClient) closeIfOpen() {
	if c != nil {
		c.close()
	}
}
