package exporter

import (
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"

	"cbc-otel/internal/metrics"
	"cbc-otel/internal/otlpvalue"
	"cbc-otel/mapping"
)

// MetricData is what a run has to tell, once.
type MetricData struct {
	Resource   []mapping.Attribute
	Metrics    []metrics.Metric
	Start, End time.Time // what the points cover
	Delta      bool      // their temporality; else cumulative
}

// encodeMetrics makes an OTLP message, which is also an export request.
func encodeMetrics(d MetricData, version string) *metricspb.MetricsData {
	temporality := metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	if d.Delta {
		temporality = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA
	}
	scope := &metricspb.ScopeMetrics{Scope: &commonpb.InstrumentationScope{Name: ScopeName, Version: version}}
	start, end := uint64(d.Start.UnixNano()), uint64(d.End.UnixNano())
	for _, m := range d.Metrics {
		out := &metricspb.Metric{Name: m.Name, Unit: m.Unit, Description: m.Description}
		if m.Bounds == nil {
			sum := &metricspb.Sum{AggregationTemporality: temporality, IsMonotonic: true}
			for _, p := range m.Points {
				sum.DataPoints = append(sum.DataPoints, &metricspb.NumberDataPoint{
					Attributes: protoAttributes(p.Attributes), StartTimeUnixNano: start, TimeUnixNano: end,
					Value: &metricspb.NumberDataPoint_AsInt{AsInt: int64(p.Sum)},
				})
			}
			out.Data = &metricspb.Metric_Sum{Sum: sum}
		} else {
			histogram := &metricspb.Histogram{AggregationTemporality: temporality}
			for _, p := range m.Points {
				histogram.DataPoints = append(histogram.DataPoints, &metricspb.HistogramDataPoint{
					Attributes: protoAttributes(p.Attributes), StartTimeUnixNano: start, TimeUnixNano: end,
					Count: p.Count, Sum: &p.Sum, Min: &p.Min, Max: &p.Max, ExplicitBounds: m.Bounds, BucketCounts: p.Buckets,
				})
			}
			out.Data = &metricspb.Metric_Histogram{Histogram: histogram}
		}
		scope.Metrics = append(scope.Metrics, out)
	}
	return &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		Resource: &resourcepb.Resource{Attributes: protoAttributes(d.Resource)}, ScopeMetrics: []*metricspb.ScopeMetrics{scope},
	}}}
}

// countPoints counts the data points of the kinds that are made here.
func countPoints(d *metricspb.MetricsData) (n int) {
	for _, rm := range d.GetResourceMetrics() {
		for _, sm := range rm.GetScopeMetrics() {
			for _, m := range sm.GetMetrics() {
				n += len(m.GetSum().GetDataPoints()) + len(m.GetHistogram().GetDataPoints())
			}
		}
	}
	return n
}

func protoAttributes(list []mapping.Attribute) []*commonpb.KeyValue {
	var out []*commonpb.KeyValue
	for _, a := range list {
		if v := otlpvalue.Of(a.Value); v != nil {
			out = append(out, &commonpb.KeyValue{Key: valid(a.Key), Value: v})
		}
	}
	return out
}
