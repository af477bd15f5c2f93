package config

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

// Options are what [Load] goes by.
type Options struct {
	Flags   map[string]string   // the flags that were given, by name without dashes; see [Given]
	Getenv  func(string) string // required; an empty variable is as none
	Command []string            // what will be run, to name the service after; nil: nothing

	ReadFile func(path string) ([]byte, error) // nil: [ReadFile]
	Exists   func(path string) error           // nil: asks the file system
}

// Load reads flags, environment and file. It has no side effects and does not use the network. With errors
// the settings are still usable as far as they go, but export nothing: what leaves must never be decided by
// half a configuration.
func Load(o Options) (*Settings, Errors) {
	if o.ReadFile == nil {
		o.ReadFile = ReadFile
	}
	if o.Exists == nil {
		o.Exists = func(path string) error { _, err := os.Stat(path); return reason(err) }
	}
	l := &loader{Options: o, s: &Settings{Origins: make(map[string]Origin, len(table))}}
	l.readFile()
	for i := range table {
		l.pick(&table[i])
	}
	l.exporters()
	l.standard()
	l.otlp()
	l.metrics()
	l.service()
	l.store()
	l.remarks()
	l.filter()
	l.s.WorkflowsDisabled = isSet(o.Getenv("CODEBUDDY_DISABLE_WORKFLOWS"))
	if len(l.errs) > 0 {
		l.errs.sort()
		l.s.Exporters = nil
	}
	return l.s, l.errs
}

type loader struct {
	Options
	s    *Settings
	errs Errors
	doc  document
}

// Peek returns what flags or variables say of a setting, or else its default, without reading the file. A
// value that is not allowed counts as none; [Load] reports it.
func Peek(o Options, name string) string {
	set := setting(name)
	candidates := []string{strings.TrimSpace(o.Getenv(set.Env)), set.Default}
	if text, ok := o.Flags[set.Flag]; ok {
		candidates = append([]string{text}, candidates...)
	}
	for _, text := range candidates {
		if _, problem := set.kind.parse(text, ""); problem == "" && text != "" {
			return text
		}
	}
	return ""
}

// readFile reads the file that is named, or the default one if there is one.
func (l *loader) readFile() {
	path, key := l.variable("CBC_OTEL_CONFIG"), "CBC_OTEL_CONFIG"
	origin := Origin{Source: FromEnv, Key: key}
	if given, ok := l.Flags["config"]; ok {
		path, key = given, "--config"
		origin = Origin{Source: FromFlag, Key: key}
		if path == "" {
			l.s.Origins["config"] = origin // no file, not even the default one
			return
		}
	}
	named := path != ""
	if !named {
		path, key, origin = DefaultFile(l.Getenv), "", Origin{}
		if path == "" {
			return
		}
	}
	data, err := l.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return
	}
	l.s.ConfigFile = path
	l.s.Origins["config"] = origin
	if err != nil {
		e := Error{Key: key, Problem: strconv.Quote(path) + ": " + err.Error()}
		if !named {
			e = Error{File: path, Problem: err.Error()}
		}
		l.errs = append(l.errs, e)
		return
	}
	var faults []fault
	l.doc, faults = parseDocument(data, l.Getenv)
	l.s.root = l.doc.root
	for _, f := range faults {
		l.errs = append(l.errs, f.in(path))
	}
}

func (l *loader) variable(name string) string { return strings.TrimSpace(l.Getenv(name)) }

// pick takes a setting from the strongest source that has it. Weaker ones are checked all the same.
func (l *loader) pick(set *Setting) {
	if set.field == nil || set.OutsideFile {
		return
	}
	value, problem := set.kind.parse(set.Default, "")
	if set.Default == "" || problem != "" {
		value = nil
	}
	if v, ok := l.doc.values[set.Name]; ok {
		at := l.doc.places[set.Name]
		l.s.Origins[set.Name] = Origin{Source: FromFile, Key: l.s.ConfigFile, Line: at.line, Column: at.column}
		value = v
	}
	if text := l.variable(set.Env); set.Env != "" && text != "" {
		value = l.parse(set, Origin{Source: FromEnv, Key: set.Env}, text)
	}
	if text, ok := l.Flags[set.Flag]; ok && set.Flag != "" {
		value = l.parse(set, Origin{Source: FromFlag, Key: "--" + set.Flag}, text)
	}
	assign(set.field(l.s), value)
}

func (l *loader) parse(set *Setting, origin Origin, text string) any {
	l.s.Origins[set.Name] = origin
	value, problem := set.kind.parse(text, "")
	if problem != "" {
		l.errs = append(l.errs, Error{Key: origin.Key, Problem: problem, Allowed: set.kind.shape().wants})
		return nil
	}
	return value
}

// assign puts a value where it belongs. Faulty and absent ones are nil and change nothing.
func assign(target, value any) {
	switch v := value.(type) {
	case string:
		switch p := target.(type) {
		case *string:
			*p = v
		case *say.Level:
			*p, _ = say.ParseLevel(v)
		case *[]string:
			*p = strings.Split(v, ",")
		}
	case []string:
		*target.(*[]string) = v
	case bool:
		*target.(*bool) = v
	case time.Duration:
		*target.(*time.Duration) = v
	case int64:
		*target.(*int64) = v
	case []Header:
		*target.(*[]Header) = v
	case []mapping.Attribute:
		*target.(*[]mapping.Attribute) = v
	}
}

func (l *loader) given(name string) bool { return l.s.Origins[name].Source != FromDefault }

// fail reports a setting by the source it came from.
func (l *loader) fail(name, problem, allowed string) {
	origin := l.s.Origins[name]
	e := Error{Key: origin.Key, Problem: problem, Allowed: allowed}
	if origin.Source == FromFile {
		e = Error{File: origin.Key, Line: origin.Line, Column: origin.Column, Key: name, Problem: problem, Allowed: allowed}
	}
	l.errs = append(l.errs, e)
}

// note makes a remark on a setting, by the source it came from.
func (l *loader) note(level say.Level, name, remark string) {
	origin := l.s.Origins[name]
	key := origin.Key
	if origin.Source == FromFile {
		key = origin.String() + ": " + name
	}
	l.s.Notes = append(l.s.Notes, Note{level, key + ": " + remark})
}
