package native

import (
	"fmt"
	"net/url"
	"strings"

	"cbc-otel/internal/envlist"
)

// Plan says what to change in the environment of the command, and where its telemetry was to go before.
type Plan struct {
	// Destinations are the user's own; a signal without one was not sent anywhere.
	Destinations map[Signal]Destination

	env        []string
	claudeOn   bool // Claude Code was to send logs
	claudeBeta bool // and traces
	codeBuddy  bool // CodeBuddy Code was to send traces
}

// Destination is where a signal was to go.
type Destination struct {
	URL           string
	Variable      string // that says so
	CA, Cert, Key string // files
}

const (
	enableClaude = "CLAUDE_CODE_ENABLE_TELEMETRY"
	enableBeta   = "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA"
	enableBuddy  = "CODEBUDDY_CODE_ENABLE_TELEMETRY"
	endpointVar  = "OTEL_EXPORTER_OTLP_ENDPOINT"
)

// exportEvery is how long the CLI may keep what it has, in milliseconds, where the user does not say.
const exportEvery = "300"

// NewPlan looks at an environment. An error says why its telemetry cannot be taken in without taking it from the
// user, and names the variable.
func NewPlan(env []string) (*Plan, error) {
	get := func(name string) string { return strings.TrimSpace(envlist.Get(env, name)) }
	p := &Plan{
		Destinations: map[Signal]Destination{}, env: env,
		claudeOn: truthy(get(enableClaude)), claudeBeta: truthy(get(enableClaude)) && truthy(get(enableBeta)),
		codeBuddy: truthy(get(enableBuddy)) || get(enableBuddy) == "" && truthy(get(enableClaude)),
	}
	if !p.claudeOn && !p.codeBuddy {
		if err := sideEffects(get); err != nil {
			return nil, err
		}
	}
	for _, s := range []Signal{Traces, Logs} {
		d, ok, err := destination(s, get, p.claudeOn || p.codeBuddy)
		if err != nil {
			return nil, err
		}
		if ok {
			p.Destinations[s] = d
		}
	}
	return p, nil
}

// sideEffects looks for what a CLI whose telemetry is off would do, beside sending to us, if it were turned on: variables
// that were set for other programs are its own, too. They cannot be changed, as they reach those programs through it.
func sideEffects(get func(string) string) error {
	const remedy = "; set it to none, or turn the command's telemetry on"
	if metrics := get("OTEL_METRICS_EXPORTER"); metrics != "" && metrics != "none" {
		return fmt.Errorf("OTEL_METRICS_EXPORTER=%s would make the command send metrics, which it does not now%s", metrics, remedy)
	}
	for _, name := range []string{"OTEL_TRACES_EXPORTER", "OTEL_LOGS_EXPORTER"} {
		if lists(get(name), "console") {
			return fmt.Errorf("%s=%s would make the command print its telemetry, which it does not now%s", name, get(name), remedy)
		}
	}
	return nil
}

// destination is where a signal was to go: to the endpoint that is named or, for a CLI that was told to send, to the
// default of OpenTelemetry.
func destination(s Signal, get func(string) string, on bool) (d Destination, ok bool, err error) {
	own := func(name string) string { return "OTEL_EXPORTER_OTLP_" + strings.ToUpper(string(s)) + "_" + name }
	first := func(name string) string {
		if v := get(own(name)); v != "" {
			return v
		}
		return get("OTEL_EXPORTER_OTLP_" + name)
	}
	exporters := get("OTEL_" + strings.ToUpper(string(s)) + "_EXPORTER")
	switch {
	case exporters != "" && !lists(exporters, "otlp"):
		return d, false, nil // to none, or to the console, which stays
	case get(own("ENDPOINT")) != "":
		d.URL, d.Variable = get(own("ENDPOINT")), own("ENDPOINT")
	case get(endpointVar) != "":
		d.URL, d.Variable = strings.TrimSuffix(get(endpointVar), "/")+"/v1/"+string(s), endpointVar
	case on && lists(exporters, "otlp"):
		d.URL, d.Variable = "http://localhost:4318/v1/"+string(s), endpointVar
	default:
		return d, false, nil
	}
	protocol := first("PROTOCOL")
	if protocol == "grpc" || protocol == "" && port(d.URL) == "4317" {
		return d, false, fmt.Errorf("%s leads to gRPC, to which it cannot be passed on", d.Variable)
	}
	d.CA, d.Cert, d.Key = first("CERTIFICATE"), first("CLIENT_CERTIFICATE"), first("CLIENT_KEY")
	if d.CA == "" {
		d.CA = get("NODE_EXTRA_CA_CERTS")
	}
	return d, true, nil
}

func port(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Port()
}

// wanted reports whether a payload would have been sent without us.
func (p *Plan) wanted(s Signal, from origin) bool {
	if from.others || !from.claude && !from.codeBuddy {
		return true
	}
	if from.codeBuddy {
		return p.codeBuddy
	}
	return s == Traces && p.claudeBeta || s != Traces && p.claudeOn
}

// Environ is the environment that makes a CLI send to the receiver. Whether it sends what people wrote (OTEL_LOG_*),
// and its metrics, stay as they are.
func (p *Plan) Environ(r *Receiver) []string {
	env := p.env
	for _, name := range []string{enableClaude, enableBeta, enableBuddy} {
		env = envlist.Set(env, name, "1")
	}
	for _, s := range []Signal{Traces, Logs} {
		upper := strings.ToUpper(string(s))
		env = envlist.Set(env, "OTEL_EXPORTER_OTLP_"+upper+"_ENDPOINT", r.URL(s))
		exporter := "OTEL_" + upper + "_EXPORTER"
		switch list := envlist.Get(env, exporter); {
		case lists(list, "otlp"):
		case lists(list, "console"):
			env = envlist.Set(env, exporter, list+",otlp")
		default:
			env = envlist.Set(env, exporter, "otlp")
		}
		protocol := "OTEL_EXPORTER_OTLP_" + upper + "_PROTOCOL"
		given := envlist.Get(env, protocol)
		if given == "" {
			given = envlist.Get(env, "OTEL_EXPORTER_OTLP_PROTOCOL")
		}
		if given != "http/json" {
			given = "http/protobuf"
		}
		env = envlist.Set(env, protocol, given)
	}
	for _, name := range []string{"OTEL_TRACES_EXPORT_INTERVAL", "OTEL_LOGS_EXPORT_INTERVAL", "OTEL_BSP_SCHEDULE_DELAY", "OTEL_BLRP_SCHEDULE_DELAY"} {
		if envlist.Get(env, name) == "" {
			env = envlist.Set(env, name, exportEvery)
		}
	}
	return env
}

func lists(list, word string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(one) == word {
			return true
		}
	}
	return false
}

func truthy(s string) bool {
	switch strings.ToLower(s) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}
