package config

import (
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
