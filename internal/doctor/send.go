package doctor

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"cbc-otel/exporter"
)

// tracesPath is where receivers of OTLP over HTTP take traces.
const tracesPath = "/v1/traces"

// send exports the test span and says what became of it.
func (d *doctor) send(ctx context.Context, o exporter.Options, far *farEnd) {
	s := d.testSpan()
	report, err := flush(ctx, o, s, d.timeout)
	switch {
	case err != nil:
		d.fail("test span", err.Error(), "correct the setting, or what it names")
	case report.Exported == 1:
		d.arrived = true
		d.ok("test span", fmt.Sprintf("accepted: service %s, span %q, trace %x", d.Settings.ServiceName, SpanName, s.TraceID))
	default:
		text, todo := d.explain(ctx, far, report)
		d.fail("test span", text, todo)
	}
}

// explain says why the test span was not accepted.
func (d *doctor) explain(ctx context.Context, far *farEnd, report exporter.ExporterReport) (text, todo string) {
	said := foreign(report.Error)
	if answer := connectAnswer().FindStringSubmatch(report.Error); far.proxy != nil && answer != nil {
		return explainProxy(far, answer[1])
	}
	switch report.Reason {
	case exporter.Unauthorized:
		if strings.HasPrefix(said, "407 ") {
			return explainProxy(far, said)
		}
		return d.explainKey(said)
	case exporter.Rejected:
		return "the receiver answered well but did not keep it: " + said, "look at what the receiver says about its limits"
	case exporter.Unavailable:
		return "the receiver cannot take it now: " + said, "look at the receiver; runs keep their spans for later meanwhile"
	case exporter.TimedOut, exporter.OutOfTime:
		return "no answer from " + far.address + " within " + d.timeout.String(), "look at the receiver, or raise " + d.key("flush_timeout", "--flush-timeout") + " if it is slow"
	}
	if far.proxy == nil {
		if text, todo = d.explainMismatch(far, d.look(ctx, far, !far.target.Plaintext)); text != "" {
			return text, todo
		}
		if text, todo = d.explainPath(ctx, far, said); text != "" {
			return text, todo
		}
	}
	if report.Reason == exporter.WrongService {
		return far.target.Endpoint() + " takes no traces: " + said, "look up the endpoint of the receiver and correct " + d.key("otlp.endpoint", "--endpoint")
	}
	return "not accepted (" + string(report.Reason) + "): " + said, "look at what the receiver says about it"
}

// connectAnswer is in the error of gRPC when a proxy does not lead on: its whole answer, quoted.
var connectAnswer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`connect handshake, response: .*?HTTP/1\.[01] ([0-9]{3} [A-Za-z -]*)`)
})

// explainProxy is about a proxy that does not lead to the receiver.
func explainProxy(far *farEnd, said string) (text, todo string) {
	if strings.HasPrefix(said, "407 ") {
		return "the proxy wants a user and password: " + said, "put them into the proxy variable"
	}
	return "the proxy at " + far.address + " does not lead to " + far.target.URL.Host + ": " + foreign(said),
		"look at the proxy, or add " + far.host() + " to NO_PROXY"
}

// explainKey is about 401 and 403.
func (d *doctor) explainKey(said string) (text, todo string) {
	best := "otlp.headers or OTEL_EXPORTER_OTLP_HEADERS"
	if len(d.Settings.OTLP.Headers) == 0 {
		return "the receiver wants a key and no headers are sent: " + said, "put the key into " + best
	}
	var names []string
	for _, h := range d.Settings.OTLP.Headers {
		names = append(names, h.Name)
	}
	return "the receiver does not accept the headers sent (" + strings.Join(names, ", ") + "): " + said, "correct " + d.key("otlp.headers", best)
}

// explainMismatch compares what is spoken there with what the settings say.
func (d *doctor) explainMismatch(far *farEnd, is spoken) (text, todo string) {
	protocol := d.key("otlp.protocol", "--protocol")
	switch {
	case far.target.Protocol == exporter.ProtocolHTTP && is.grpc && !is.http:
		return "the server at " + far.address + " speaks gRPC, not HTTP", "set " + protocol + " to grpc, or use the receiver's port for HTTP, usually 4318"
	case far.target.Protocol == exporter.ProtocolGRPC && is.http && !is.grpc:
		return "the server at " + far.address + " speaks HTTP, not gRPC", "set " + protocol + " to http/protobuf, or use the receiver's port for gRPC, usually 4317"
	}
	return "", ""
}

// explainPath finds the path for one that takes nothing.
func (d *doctor) explainPath(ctx context.Context, far *farEnd, said string) (text, todo string) {
	t := far.target
	if t.Protocol != exporter.ProtocolHTTP || !strings.HasPrefix(said, "404 ") && !strings.HasPrefix(said, "405 ") {
		return "", ""
	}
	endpoint := d.key("otlp.endpoint", "--endpoint")
	once := strings.Replace(strings.TrimRight(t.URL.Path, "/"), tracesPath+tracesPath, tracesPath, 1)
	for _, path := range []string{once, tracesPath} {
		if path == "" || path == t.URL.Path {
			continue
		}
		switch d.status(ctx, far, !t.Plaintext, path) {
		case 0, http.StatusNotFound, http.StatusMethodNotAllowed:
			continue
		}
		base := url.URL{Scheme: t.URL.Scheme, Host: t.URL.Host, Path: path}
		if !strings.HasSuffix(endpoint, "_TRACES_ENDPOINT") {
			base.Path = strings.TrimSuffix(path, tracesPath)
		}
		return t.URL.Path + " takes no traces (" + said + "), but " + path + " does", "set " + endpoint + " to " + base.String()
	}
	return "", ""
}
