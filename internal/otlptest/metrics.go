package otlptest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	colmetricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"
)

// MetricsPath is where OTLP/HTTP has metrics, which are taken in protobuf alone.
const MetricsPath = "/v1/metrics"

type metricsService struct {
	colmetricspb.UnimplementedMetricsServiceServer
	receiver *Receiver
}

func (s *metricsService) Export(ctx context.Context, in *colmetricspb.ExportMetricsServiceRequest) (*colmetricspb.ExportMetricsServiceResponse, error) {
	req := &Request{Size: proto.Size(in), Metrics: &metricspb.MetricsData{ResourceMetrics: in.GetResourceMetrics()}}
	a, err := s.receiver.call(ctx, req)
	if err != nil {
		return nil, err
	}
	return metricsResponse(a), nil
}

func metricsResponse(a Answer) *colmetricspb.ExportMetricsServiceResponse {
	out := &colmetricspb.ExportMetricsServiceResponse{}
	if a.Rejected != 0 || a.Message != "" {
		out.PartialSuccess = &colmetricspb.ExportMetricsPartialSuccess{RejectedDataPoints: a.Rejected, ErrorMessage: a.Message}
	}
	return out
}

// Points lists the data points that were taken, a line each: name, temporality, attributes in their order, and what
// was measured (a sum's value; a histogram's count and sum). They are in the order of their arrival.
func (r *Receiver) Points() []string {
	var lines []string
	for _, req := range r.Requests() {
		if !req.Taken {
			continue
		}
		for _, rm := range req.Metrics.GetResourceMetrics() {
			for _, sm := range rm.GetScopeMetrics() {
				for _, m := range sm.GetMetrics() {
					lines = append(lines, points(m)...)
				}
			}
		}
	}
	return lines
}

func points(m *metricspb.Metric) (lines []string) {
	head := func(t metricspb.AggregationTemporality) string {
		name, _ := strings.CutPrefix(t.String(), "AGGREGATION_TEMPORALITY_")
		return m.GetName() + " " + strings.ToLower(name)
	}
	for _, p := range m.GetSum().GetDataPoints() {
		line := head(m.GetSum().GetAggregationTemporality())
		for _, kv := range p.GetAttributes() {
			line += " " + kv.GetKey() + "=" + Text(kv.GetValue())
		}
		lines = append(lines, fmt.Sprintf("%s: %d", line, p.GetAsInt()))
	}
	for _, p := range m.GetHistogram().GetDataPoints() {
		line := head(m.GetHistogram().GetAggregationTemporality())
		for _, kv := range p.GetAttributes() {
			line += " " + kv.GetKey() + "=" + Text(kv.GetValue())
		}
		lines = append(lines, fmt.Sprintf("%s: %d in %g", line, p.GetCount(), p.GetSum()))
	}
	return slices.Clip(lines)
}
