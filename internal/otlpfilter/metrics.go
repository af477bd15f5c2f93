package otlpfilter

import (
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"

	"cbc-otel/filter"
)

// ApplyMetrics changes metrics to what may leave: the rules for a resource apply to the attributes of resources,
// scopes and data points. Points of kinds that are not made here are removed.
func ApplyMetrics(rules *filter.Rules, data *metricspb.MetricsData) filter.Hits {
	var hits filter.Hits
	for _, rm := range data.ResourceMetrics {
		if rm.Resource != nil {
			rm.Resource.Attributes = applyList(rules, rm.Resource.Attributes, &hits)
		}
		for _, sm := range rm.ScopeMetrics {
			if sm.Scope != nil {
				sm.Scope.Attributes = applyList(rules, sm.Scope.Attributes, &hits)
			}
			sm.Metrics = keep(sm.Metrics, func(m *metricspb.Metric) bool {
				for _, p := range m.GetSum().GetDataPoints() {
					p.Attributes, p.Exemplars = applyList(rules, p.Attributes, &hits), nil
				}
				for _, p := range m.GetHistogram().GetDataPoints() {
					p.Attributes, p.Exemplars = applyList(rules, p.Attributes, &hits), nil
				}
				m.Metadata = nil
				return m.GetSum() != nil || m.GetHistogram() != nil
			})
		}
	}
	return hits
}
