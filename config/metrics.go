package config

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"cbc-otel/internal/say"
)

// metricsPath is where OTLP over HTTP takes metrics, below a base URL.
const metricsPath = "/v1/metrics"

const metricsVariable = "OTEL_EXPORTER_OTLP_METRICS_"

// metrics settles where metrics go: where the file says, else with traces, else where the standard variables for
// metrics say. An endpoint or exporter of ours that traces go by goes before those variables, which may have been set
// for the command's own metrics: what it was given must not override what we were told.
func (l *loader) metrics() {
	m := &l.s.Metrics
	if len(l.s.Exporters) == 0 {
		return
	}
	key, text := l.first(setting("metrics.endpoint").OTel)
	ours := l.s.Uses("otlp") && l.s.Origins["otlp.endpoint"].Source >= FromFile || !l.s.Uses("otlp") && l.s.Origins["exporter"].Source >= FromFile
	switch {
	case l.given("metrics.endpoint"):
		l.metricsAt("metrics.endpoint", m.Endpoint, true)
	case !ours && key != "" && m.Enabled:
		l.metricsAt(key, text, false)
	case l.s.Uses("otlp"):
		l.metricsWithTraces()
	}
	if m.Enabled && m.OTLP.URL == "" && len(l.errs) == 0 {
		l.note(say.Warn, "metrics.enabled", "metrics go nowhere: there is no OTLP endpoint for them (metrics.endpoint, or the exporter otlp)")
	}
}

// metricsWithTraces sends metrics to the receiver of traces.
func (l *loader) metricsWithTraces() {
	m, o := &l.s.Metrics, l.s.OTLP
	u, err := url.Parse(o.URL)
	if o.URL == "" || err != nil {
		return
	}
	if o.Protocol != "grpc" {
		base, found := strings.CutSuffix(strings.TrimRight(u.Path, "/"), tracesPath)
		if !found {
			return // a path of its own for traces says nothing about that for metrics
		}
		u.Path, u.RawPath = base+metricsPath, ""
	}
	m.OTLP = o
	m.OTLP.URL = u.String()
	l.metricsOptions(true)
}

// metricsAt sends metrics to an endpoint of their own, which is used as it is.
func (l *loader) metricsAt(key, text string, own bool) {
	m := &l.s.Metrics
	if l.failed(key, "metrics.endpoint") {
		return
	}
	u, problem := parseEndpoint(text, "")
	if problem != "" {
		l.errs = append(l.errs, Error{Key: key, Problem: problem, Allowed: endpointWanted})
		return
	}
	m.Endpoint = text
	if !own {
		l.s.Origins["metrics.endpoint"] = Origin{Source: FromOTel, Key: key}
	}
	traces, _ := url.Parse(l.s.OTLP.URL)
	same := traces != nil && l.s.OTLP.URL != "" && traces.Hostname() == u.Hostname() && traces.Scheme == u.Scheme
	if same {
		m.OTLP = l.s.OTLP
	}
	m.OTLP.Endpoint = text
	m.OTLP.Protocol = l.metricsProtocol(u, own)
	switch {
	case m.OTLP.Protocol == "grpc":
		u.Path, u.RawPath = "", ""
		if u.Port() == "" {
			u.Host += map[string]string{"http": ":4317", "https": ":443"}[u.Scheme]
		}
	case !hasPath(u) && m.Enabled:
		l.note(say.Warn, "metrics.endpoint", "has no path and is used as it is; did you mean "+likely(u, path.Clean("/"+u.Path+metricsPath))+"?")
	}
	m.OTLP.URL = u.String()
	l.metricsOptions(same)
}

// metricsProtocol is that of the standard variables, for an endpoint of theirs, or what the endpoint says.
func (l *loader) metricsProtocol(u *url.URL, own bool) string {
	if !own {
		if key, text := l.first([]string{metricsVariable + "PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"}); key != "" {
			if slices.Contains(protocols, text) {
				return text
			}
			l.errs = append(l.errs, Error{Key: key, Problem: quoted(text, "") + " is not supported", Allowed: oneOf(protocols)})
		}
	}
	if u.Port() == "4317" || own && u.Port() != "4318" && !hasPath(u) {
		return "grpc"
	}
	return "http/protobuf"
}

// metricsOptions settles how metrics are sent. With traces on the same host, what the file says of those holds for
// metrics, too; else the standard variables for metrics go first, and elsewhere the general ones come next.
func (l *loader) metricsOptions(same bool) {
	m := &l.s.Metrics
	o := &m.OTLP
	find := func(name, suffix string) (key, value string) {
		if same && l.s.Origins[name].Source >= FromFile {
			return "", ""
		}
		variables := []string{metricsVariable + suffix}
		if !same {
			variables = append(variables, "OTEL_EXPORTER_OTLP_"+suffix)
		}
		return l.first(variables)
	}
	use := func(name, suffix string, read func(string) (any, string), target any) {
		key, text := find(name, suffix)
		if key == "" {
			return
		}
		value, problem := read(text)
		if problem == "" {
			assign(target, value)
		} else if m.Enabled {
			l.s.Notes = append(l.s.Notes, Note{say.Warn, key + ": " + problem + "; not used"})
		}
	}
	use("otlp.compression", "COMPRESSION", otelCompression, &o.Compression)
	use("otlp.timeout", "TIMEOUT", otelMilliseconds, &o.Timeout)
	use("otlp.tls.ca_file", "CERTIFICATE", otelText, &o.TLS.CAFile)
	use("otlp.tls.cert_file", "CLIENT_CERTIFICATE", otelText, &o.TLS.CertFile)
	use("otlp.tls.key_file", "CLIENT_KEY", otelText, &o.TLS.KeyFile)
	switch origin := l.s.Origins["metrics.headers"]; {
	case origin.Source == FromOTel && same && l.s.Origins["otlp.headers"].Source >= FromFile:
	case l.given("metrics.headers"):
		o.Headers = m.Headers
	case !same:
		use("metrics.headers", "HEADERS", otelHeaders, &o.Headers)
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
}
