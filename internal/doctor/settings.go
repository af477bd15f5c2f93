package doctor

import (
	"errors"
	"strings"

	"cbc-otel/config"
	"cbc-otel/exporter"
	"cbc-otel/mapping"
)

// configuration prints what is in effect; false if it has errors.
func (d *doctor) configuration() bool {
	if len(d.Errors) == 0 {
		for line := range strings.Lines(d.Settings.Print()) {
			d.print(strings.TrimSuffix(line, "\n"))
		}
		d.print("")
	}
	for _, e := range d.Errors {
		todo := "correct it"
		if e.Allowed != "" {
			todo = "allowed: " + e.Allowed
		}
		e.Allowed = ""
		d.fail("configuration", e.Error(), todo)
	}
	if !d.Settings.SDKDisabled { // which nothing else matters to
		for _, note := range d.Settings.Notes {
			d.warn("configuration", note.Text, "")
		}
	}
	return len(d.Errors) == 0
}

// switches reports what turns telemetry off as a whole.
func (d *doctor) switches() {
	s := d.Settings
	switch {
	case s.SDKDisabled:
		d.fail("exporter", "OTEL_SDK_DISABLED=true turns telemetry off", "unset OTEL_SDK_DISABLED")
	case len(s.Exporters) == 0:
		d.fail("exporter", "none is chosen by "+d.from("exporter"), "set "+d.key("exporter", "--exporter")+" to otlp, file or console")
	default:
		d.ok("exporter", strings.Join(s.Exporters, ", ")+" ("+d.from("exporter")+")")
	}
	if s.Origins["exporter"].Source == config.FromDefault && len(s.Exporters) > 0 {
		for _, key := range []string{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"} {
			if d.getenv(key) != "" {
				d.warn("exporter", key+" does not count for traces", "set OTEL_EXPORTER_OTLP_ENDPOINT to send them")
			}
		}
	}
	if s.WorkflowsDisabled {
		d.fail("workflows", "CODEBUDDY_DISABLE_WORKFLOWS turns them off in the agent CLI", "unset CODEBUDDY_DISABLE_WORKFLOWS")
	}
	if s.Tap == "never" {
		d.fail("tap", "never: the command's output is not looked at", "set "+d.key("tap", "--tap")+" to auto or always")
	}
}

// rules reports rules that leave nothing of an ordinary workflow.
func (d *doctor) rules() {
	t := mapping.Tree{TaskID: "sample", Spans: []mapping.Span{
		{Kind: mapping.WorkflowSpan, SpanID: mapping.SpanID{1}, Name: "invoke_workflow sample", Start: d.start, End: d.start},
	}}
	if d.Settings.Rules.Apply(&t); len(t.Spans) == 0 {
		d.warn("rules", "an ordinary workflow that succeeds is dropped whole", "look at the section drop of "+d.Settings.ConfigFile)
	}
}

// check reports what the exporter finds in its own options; false if it cannot work.
func (d *doctor) check(name string, o exporter.Options) bool {
	o.Getenv = d.Exporter.Getenv // the sampler, too
	warnings, err := exporter.Check(o)
	for _, w := range warnings {
		// What concerns the endpoint was noted with the configuration, by the key the user gave it with.
		if d.said[w] || strings.HasPrefix(w, "endpoint: ") {
			continue
		}
		d.said[w] = true
		d.warn(name, w, "")
	}
	for _, e := range each(err) {
		d.fail(name, e.Error(), "correct the setting, or what it names")
	}
	return err == nil
}

// each takes joined errors apart.
func each(err error) []error {
	if err == nil {
		return nil
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, each(e)...)
	}
	return all
}
