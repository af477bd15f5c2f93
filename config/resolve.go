package config

import (
	"path/filepath"
	"strings"

	"cbc-otel/internal/say"
)

// standard fills what nothing of ours gave from the variables of OpenTelemetry. Those of the exporter otlp and of
// metrics do not matter, and are not checked, when they are not used.
func (l *loader) standard() {
	for i := range table {
		set := &table[i]
		if set.otel == nil || l.given(set.Name) || strings.HasPrefix(set.Name, "otlp.") && !l.s.Uses("otlp") ||
			strings.HasPrefix(set.Name, "metrics.") && !l.s.Metrics.Enabled {
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
		case strings.HasSuffix(set.Name, ".headers"):
			l.errs = append(l.errs, Error{Key: key, Problem: problem, Allowed: headersWanted})
		default:
			l.s.Notes = append(l.s.Notes, Note{say.Warn, key + ": " + problem + "; not used"})
		}
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
	}{{"file.path", &s.File}, {"receipt", &s.Receipt}, {"summary", &s.Summary}, {"store.dir", &s.Store.Dir}} {
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
