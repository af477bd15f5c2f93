package otlpfilter_test

import (
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/proto"

	"cbc-otel/filter"
	"cbc-otel/internal/otlpfilter"
)

func TestApplyMetrics(t *testing.T) {
	t.Parallel()
	attrs := func(pairs ...string) (list []*commonpb.KeyValue) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, &commonpb.KeyValue{Key: pairs[i], Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: pairs[i+1]}}})
		}
		return list
	}
	data := func(keys ...string) *metricspb.MetricsData {
		scope := &metricspb.ScopeMetrics{Scope: &commonpb.InstrumentationScope{Name: "s", Attributes: attrs(keys...)}, Metrics: []*metricspb.Metric{
			{Name: "sum", Data: &metricspb.Metric_Sum{Sum: &metricspb.Sum{DataPoints: []*metricspb.NumberDataPoint{{Attributes: attrs(keys...)}}}}},
			{Name: "histogram", Data: &metricspb.Metric_Histogram{Histogram: &metricspb.Histogram{DataPoints: []*metricspb.HistogramDataPoint{{Attributes: attrs(keys...)}}}}},
		}}
		return &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
			Resource: &resourcepb.Resource{Attributes: attrs(keys...)}, ScopeMetrics: []*metricspb.ScopeMetrics{scope},
		}}}
	}
	rules, errs := filter.Compile(filter.Config{Attributes: []filter.AttributeRule{{Actions: []filter.Action{{Key: "a", Action: "delete"}}}}})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	got := data("a", "1", "b", "2")
	sm := got.ResourceMetrics[0].ScopeMetrics[0]
	sm.Metrics = append(sm.Metrics, &metricspb.Metric{Name: "gauge", Data: &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{}}})
	sm.Metrics[0].Metadata = attrs("c", "3")
	sm.Metrics[0].GetSum().DataPoints[0].Exemplars = []*metricspb.Exemplar{{FilteredAttributes: attrs("a", "1")}}
	otlpfilter.ApplyMetrics(rules, got)
	if want := data("b", "2"); !proto.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	otlpfilter.ApplyMetrics(nil, got)
	if want := data(); !proto.Equal(got, want) {
		t.Errorf("without rules: %v", got)
	}
}
