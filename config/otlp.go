package config

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"cbc-otel/internal/say"
)

// otlp settles endpoint, protocol and URL.
func (l *loader) otlp() {
	o := &l.s.OTLP
	if !l.s.Uses("otlp") {
		own := *o
		*o = OTLP{Endpoint: own.Endpoint, Protocol: own.Protocol} // for those who ask; nothing is sent
		return
	}
	if len(l.doc.empty) > 0 {
		for _, path := range l.doc.empty {
			if strings.HasPrefix(path, "otlp.headers.") && l.s.Origins["otlp.headers"].Source == FromFile {
				l.s.Notes = append(l.s.Notes, Note{say.Warn, l.s.ConfigFile + ": " + path + ": has no value and is not sent"})
			}
		}
	}
	key, text := l.endpointGiven()
	var u *url.URL
	if key != "" && !l.failed(key, "otlp.endpoint") {
		var problem string
		if u, problem = l.parseEndpoint(key, text); problem != "" {
			l.errs = append(l.errs, Error{Key: key, Problem: problem, Allowed: endpointWanted})
		} else if l.s.Origins["otlp.endpoint"].Source < FromFile {
			l.s.Origins["otlp.endpoint"] = Origin{Source: FromOTel, Key: key}
		}
	}
	l.protocol(u)
	if key == "" {
		text = "http://localhost:4318"
		if o.Protocol == "grpc" {
			text = "http://localhost:4317"
		}
		u, _ = url.Parse(text)
	}
	o.Endpoint = text
	if u != nil {
		l.destination(u)
	}
	l.tls(u)
}

// parseEndpoint reads the endpoint. For grpc the standard variables may hold host:port, with another one to say
// whether that is plaintext (OTLP exporter specification).
func (l *loader) parseEndpoint(key, text string) (*url.URL, string) {
	u, problem := parseEndpoint(text, "")
	protocol := l.s.OTLP.Protocol
	if !l.given("otlp.protocol") {
		_, protocol = l.first(setting("otlp.protocol").OTel)
	}
	if problem == "" || protocol != "grpc" || !strings.HasPrefix(key, "OTEL_") || !strings.Contains(text, ":") || strings.Contains(text, "/") {
		return u, problem
	}
	scheme := "https://"
	if _, insecure := l.first([]string{"OTEL_EXPORTER_OTLP_TRACES_INSECURE", "OTEL_EXPORTER_OTLP_INSECURE"}); strings.EqualFold(insecure, "true") {
		scheme = "http://"
	}
	if taken, bad := parseEndpoint(scheme+text, ""); bad == "" {
		l.s.Notes = append(l.s.Notes, Note{say.Warn, key + ": " + quoted(text, "") + " has no scheme and is taken for " + scheme + text})
		return taken, ""
	}
	return u, problem
}

// failed reports whether the endpoint was complained about already.
func (l *loader) failed(key, name string) bool {
	return slices.ContainsFunc(l.errs, func(e Error) bool {
		return e.Key == key || e.File != "" && e.Key == name && l.s.Origins[name].Source == FromFile
	})
}

// protocol settles it by ours, the standard variables, or the endpoint.
func (l *loader) protocol(u *url.URL) {
	o := &l.s.OTLP
	if l.given("otlp.protocol") {
		return
	}
	if key, text := l.first(setting("otlp.protocol").OTel); key != "" {
		l.s.Origins["otlp.protocol"] = Origin{Source: FromOTel, Key: key}
		if !slices.Contains(protocols, text) {
			l.errs = append(l.errs, Error{Key: key, Problem: quoted(text, "") + " is not supported", Allowed: oneOf(protocols) + " (--protocol overrides)"})
			return
		}
		o.Protocol = text
		return
	}
	o.Protocol = "http/protobuf"
	if u == nil {
		return
	}
	l.s.Origins["otlp.protocol"] = Origin{Source: FromSettings, Key: "the endpoint"}
	own := l.s.Origins["otlp.endpoint"].Source >= FromFile
	switch {
	case u.Port() == "4317":
		o.Protocol = "grpc"
	case u.Port() == "4318" || hasPath(u):
	case own:
		o.Protocol = "grpc"
	}
}

// destination makes the URL that is sent to. A base URL gets the path of traces, unless it has it; a per-signal
// variable is taken as it is (OTLP exporter specification).
func (l *loader) destination(u *url.URL) {
	o, origin := &l.s.OTLP, l.s.Origins["otlp.endpoint"]
	to := *u
	if o.Protocol == "grpc" {
		if hasPath(u) {
			l.note(say.Warn, "otlp.endpoint", "has a path, which is not used with grpc; did you mean the protocol http/protobuf?")
		}
		to.Path, to.RawPath = "", ""
		if to.Port() == "" {
			to.Host += map[string]string{"http": ":4317", "https": ":443"}[to.Scheme]
		}
		o.URL = to.String()
		return
	}
	path := strings.TrimRight(u.Path, "/")
	switch {
	case origin.Key == "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT":
		if !hasPath(u) {
			l.note(say.Warn, "otlp.endpoint", "has no path and is used as it is; did you mean "+likely(u, tracesPath)+"?")
			to.Path = "/"
		}
		o.URL = to.String()
		return
	case strings.HasSuffix(path, tracesPath):
		if origin.Key == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			l.note(say.Warn, "otlp.endpoint", "ends in "+tracesPath+", which others add to this variable; it is used as it is; did you mean "+
				likely(u, strings.TrimSuffix(path, tracesPath))+"?")
		}
		o.URL = to.String()
		return
	}
	to.Path, to.RawPath = path+tracesPath, ""
	o.URL = to.String()
	if u.Port() == "4317" {
		l.note(say.Info, "otlp.endpoint", "http/protobuf to port 4317, which is usually that of grpc")
	}
}

func likely(u *url.URL, path string) string {
	to := *u
	to.Path, to.RawPath = path, ""
	return to.String()
}

// tls settles the files. Those named in the configuration file are relative to it, since the working
// directory may be anybody's.
func (l *loader) tls(u *url.URL) {
	t := &l.s.OTLP.TLS
	for _, f := range []struct {
		name string
		path *string
	}{{"otlp.tls.ca_file", &t.CAFile}, {"otlp.tls.cert_file", &t.CertFile}, {"otlp.tls.key_file", &t.KeyFile}} {
		if *f.path == "" {
			continue
		}
		if l.s.Origins[f.name].Source == FromFile {
			*f.path = l.atHome(*f.path)
			if !filepath.IsAbs(*f.path) {
				*f.path = filepath.Join(filepath.Dir(l.s.ConfigFile), *f.path)
			}
		}
		if err := l.Exists(*f.path); err != nil {
			l.fail(f.name, quoted(*f.path, "")+": "+err.Error(), "")
		}
	}
	switch {
	case t.CertFile != "" && t.KeyFile == "":
		l.fail("otlp.tls.cert_file", "has no key", "a certificate together with otlp.tls.key_file")
	case t.CertFile == "" && t.KeyFile != "":
		l.fail("otlp.tls.key_file", "has no certificate", "a key together with otlp.tls.cert_file")
	}
	if t.Insecure && u != nil && u.Scheme == "https" {
		l.fail("otlp.tls.insecure", "is true, but the endpoint has https://", "false, or an endpoint with http://")
	}
}
