package config

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"cbc-otel/internal/say"
)

// exporters settles where spans go when nothing of ours says it, and whether they go anywhere.
func (l *loader) exporters() {
	s := l.s
	if !l.given("exporter") {
		l.standardExporters()
	}
	if !l.given("exporter") {
		s.Exporters = []string{"file"}
		if key, _ := l.endpointGiven(); key != "" {
			s.Exporters = []string{"otlp"}
			s.Origins["exporter"] = Origin{Source: FromSettings, Key: "the endpoint"}
		}
	}
	if slices.Contains(s.Exporters, "none") {
		s.Exporters = nil
	}
	switch v := l.variable("OTEL_SDK_DISABLED"); {
	case strings.EqualFold(v, "true"):
		s.SDKDisabled, s.Exporters = true, nil
		s.Notes = append(s.Notes, Note{say.Info, "OTEL_SDK_DISABLED: nothing is exported"})
	case v != "" && !strings.EqualFold(v, "false"):
		s.Notes = append(s.Notes, Note{say.Warn, "OTEL_SDK_DISABLED: " + quoted(v, "") + " counts as false; allowed: true or false"})
	}
}

// standardExporters follows OTEL_TRACES_EXPORTER as far as it names exporters we have.
func (l *loader) standardExporters() {
	const key = "OTEL_TRACES_EXPORTER"
	var lacking []string
	for word := range strings.SplitSeq(l.variable(key), ",") {
		switch word = strings.TrimSpace(word); {
		case word == "":
		case !slices.Contains(exporters, word):
			lacking = append(lacking, quoted(word, ""))
		case !slices.Contains(l.s.Exporters, word):
			l.s.Exporters = append(l.s.Exporters, word)
			l.s.Origins["exporter"] = Origin{Source: FromOTel, Key: key}
		}
	}
	if len(lacking) > 0 {
		l.s.Notes = append(l.s.Notes, Note{say.Info, key + ": " + strings.Join(lacking, ", ") + " not available here; available: " + oneOf(exporters)})
	}
	if slices.Contains(l.s.Exporters, "none") {
		l.s.Exporters = []string{"none"}
		if l.s.Origins["otlp.endpoint"].Source >= FromFile {
			l.s.Notes = append(l.s.Notes, Note{say.Warn, key + ": none turns export off although an endpoint is given; --exporter otlp turns it on"})
		}
	}
}

// endpointGiven returns what names an endpoint for traces, and its value.
func (l *loader) endpointGiven() (key, value string) {
	if origin := l.s.Origins["otlp.endpoint"]; origin.Source >= FromFile {
		return origin.Key, l.s.OTLP.Endpoint
	}
	return l.first(setting("otlp.endpoint").OTel)
}

// first returns the first of some variables that is set.
func (l *loader) first(variables []string) (key, value string) {
	for _, key := range variables {
		if value := l.variable(key); value != "" {
			return key, value
		}
	}
	return "", ""
}

// standard fills what nothing of ours gave from the variables of OpenTelemetry. Those of the exporter otlp
// do not matter, and are not checked, when it is not used.
func (l *loader) standard() {
	for i := range table {
		set := &table[i]
		if set.otel == nil || l.given(set.Name) || strings.HasPrefix(set.Name, "otlp.") && !l.s.Uses("otlp") {
			continue
		}
		key, text := l.first(set.OTel)
		if key == "" {
			continue
		}
		value, problem := set.otel(text)
		switch {
		case problem == "":
			assign(set.field(l.s), value)
			l.s.Origins[set.Name] = Origin{Source: FromOTel, Key: key}
		case set.Name == "otlp.headers":
			l.errs = append(l.errs, Error{Key: key, Problem: problem, Allowed: headersWanted})
		default:
			l.s.Notes = append(l.s.Notes, Note{say.Warn, key + ": " + problem + "; not used"})
		}
	}
}

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
		if u, problem = parseEndpoint(text, ""); problem != "" {
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

// destination makes the URL that is sent to. A base URL gets the path of traces; a per-signal variable is
// taken as it is (OTLP exporter specification). Ours may be either.
func (l *loader) destination(u *url.URL) {
	o, origin := &l.s.OTLP, l.s.Origins["otlp.endpoint"]
	to := *u
	if o.Protocol == "grpc" {
		if hasPath(u) {
			l.note(say.Warn, "otlp.endpoint", "the path "+quoted(u.Path, "")+" is not used with grpc; did you mean the protocol http/protobuf?")
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
		}
		o.URL = to.String()
		return
	case origin.Key == "OTEL_EXPORTER_OTLP_ENDPOINT" && strings.HasSuffix(path, tracesPath):
		l.note(say.Warn, "otlp.endpoint", tracesPath+" is added to this one, which has it; did you mean "+likely(u, strings.TrimSuffix(path, tracesPath))+"?")
	case strings.HasSuffix(path, tracesPath):
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

// atHome puts the home folder in place of a leading ~, which no shell does for values of the file.
func (l *loader) atHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && filepath.IsAbs(l.Getenv("HOME")) {
		return filepath.Join(l.Getenv("HOME"), rest)
	}
	return path
}

// service names the service: OTEL_SERVICE_NAME, then the file, then the command.
func (l *loader) service() {
	s := l.s
	switch v := say.Clean(l.variable("OTEL_SERVICE_NAME")); {
	case v != "":
		s.ServiceName = v
		s.Origins["service_name"] = Origin{Source: FromOTel, Key: "OTEL_SERVICE_NAME"}
	case strings.TrimSpace(s.ServiceName) != "":
		s.ServiceName = say.Clean(s.ServiceName)
	default:
		if s.ServiceName = say.Clean(resourceName(l.variable("OTEL_RESOURCE_ATTRIBUTES"))); s.ServiceName != "" {
			s.Origins["service_name"] = Origin{Source: FromOTel, Key: "OTEL_RESOURCE_ATTRIBUTES"}
			return
		}
		s.ServiceName = commandName(l.Command)
		s.Origins["service_name"] = Origin{Source: FromSettings, Key: "the command"}
	}
}

// store settles the folders of this machine.
func (l *loader) store() {
	s := l.s
	for _, f := range []struct {
		name string
		path *string
	}{{"file.path", &s.File}, {"receipt", &s.Receipt}, {"store.dir", &s.Store.Dir}} {
		if s.Origins[f.name].Source == FromFile {
			*f.path = l.atHome(*f.path)
		}
	}
	s.StateDir = stateFolder(l.Getenv)
	if s.Store.Dir == "" && s.StateDir != "" {
		s.Store.Dir = filepath.Join(s.StateDir, "traces")
	}
}

// remarks says what was given and has no effect. On the command line that is a mistake; a file may well be
// for several uses.
func (l *loader) remarks() {
	for _, r := range []struct{ name, exporter string }{{"file.path", "file"}, {"otlp.endpoint", "otlp"}} {
		origin := l.s.Origins[r.name]
		if origin.Source < FromFile || l.s.Uses(r.exporter) {
			continue
		}
		level := say.Info
		if origin.Source == FromFlag && len(l.s.Exporters) > 0 {
			level = say.Warn
		}
		l.note(level, r.name, "has no effect without the exporter "+r.exporter)
	}
}

func setting(name string) *Setting {
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
	}
	return nil
}
