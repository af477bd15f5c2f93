package config

// Setting is one thing that can be set. Its name is its key in the file (a dot for each level).
type Setting struct {
	Name        string
	Flag        string   // "": none
	Env         string   // "": none
	OTel        []string // variables of OpenTelemetry that are looked at when nothing else is given, in order
	Placeholder string   // of the flag's value in help; "": its words
	Default     string
	Help        string
	Example     string // for the starter file, where there is no default
	OutsideFile bool   // has no key in the file

	kind  kind
	field func(*Settings) any        // pointer to where its value goes
	otel  func(string) (any, string) // reads OTel variables; nil: resolved elsewhere
}

// Table lists all settings in the order of the reference.
func Table() []Setting { return table }

// Adding a setting is adding a row here, and a field to [Settings].
var table = []Setting{
	{Name: "config", Flag: "config", Env: "CBC_OTEL_CONFIG", Placeholder: "FILE", OutsideFile: true,
		kind: text{}, field: func(s *Settings) any { return &s.ConfigFile },
		Help: "configuration file; without it $XDG_CONFIG_HOME/cbc-otel/config.yaml if it exists"},
	{Name: "exporter", Flag: "exporter", Env: "CBC_OTEL_EXPORTER", OTel: []string{"OTEL_TRACES_EXPORTER"}, Placeholder: "LIST",
		kind: choices{words: exporters, alone: "none"}, field: func(s *Settings) any { return &s.Exporters },
		Example: `[otlp]`,
		Help:    "where spans go: otlp, file, console, none (several with commas); without it otlp if an endpoint is given, else file"},
	{Name: "otlp.endpoint", Flag: "endpoint", Env: "CBC_OTEL_ENDPOINT", OTel: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"}, Placeholder: "URL",
		kind: endpoint{}, field: func(s *Settings) any { return &s.OTLP.Endpoint },
		Example: `http://localhost:4318`,
		Help:    "OTLP endpoint, with http:// or https://"},
	{Name: "otlp.protocol", Flag: "protocol", Env: "CBC_OTEL_PROTOCOL", OTel: []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"},
		kind: protocols, field: func(s *Settings) any { return &s.OTLP.Protocol },
		Example: `http/protobuf`,
		Help:    "grpc or http/protobuf; without it as the port of the endpoint says"},
	{Name: "otlp.headers", OTel: []string{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"},
		kind: headers{}, field: func(s *Settings) any { return &s.OTLP.Headers }, otel: otelHeaders,
		Example: `{authorization: "Bearer ${env:OTLP_TOKEN}"}`,
		Help:    "headers sent with each export"},
	{Name: "otlp.compression", OTel: []string{"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "OTEL_EXPORTER_OTLP_COMPRESSION"}, Default: "none",
		kind: compressions, field: func(s *Settings) any { return &s.OTLP.Compression }, otel: otelCompression,
		Help: "gzip or none"},
	{Name: "otlp.timeout", OTel: []string{"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"}, Default: "10s",
		kind: duration{positive: true}, field: func(s *Settings) any { return &s.OTLP.Timeout }, otel: otelMilliseconds,
		Help: "the longest that one export may take"},
	{Name: "otlp.tls.ca_file", OTel: []string{"OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "OTEL_EXPORTER_OTLP_CERTIFICATE"},
		kind: text{}, field: func(s *Settings) any { return &s.OTLP.TLS.CAFile }, otel: otelText,
		Example: `ca.pem`,
		Help:    "PEM file with the certificates to trust"},
	{Name: "otlp.tls.cert_file", OTel: []string{"OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"},
		kind: text{}, field: func(s *Settings) any { return &s.OTLP.TLS.CertFile }, otel: otelText,
		Example: `client.pem`,
		Help:    "PEM file with our certificate"},
	{Name: "otlp.tls.key_file", OTel: []string{"OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY", "OTEL_EXPORTER_OTLP_CLIENT_KEY"},
		kind: text{}, field: func(s *Settings) any { return &s.OTLP.TLS.KeyFile }, otel: otelText,
		Example: `client.key`,
		Help:    "PEM file with its key"},
	{Name: "otlp.tls.insecure", Default: "false",
		kind: boolean{}, field: func(s *Settings) any { return &s.OTLP.TLS.Insecure },
		Help: "no TLS; for endpoints with http:// that is so anyway"},
	{Name: "metrics.enabled", Flag: "metrics", Env: "CBC_OTEL_METRICS", Default: "false",
		kind: boolean{}, field: func(s *Settings) any { return &s.Metrics.Enabled },
		Help: "export metrics of the workflows, too, once at the end of the command, over OTLP"},
	{Name: "metrics.endpoint", OTel: []string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"},
		kind: endpoint{}, field: func(s *Settings) any { return &s.Metrics.Endpoint },
		Example: `http://localhost:4318/v1/metrics`,
		Help:    "where metrics go, over HTTP with the path; without it where traces go, over HTTP to /v1/metrics there"},
	{Name: "metrics.headers", OTel: []string{"OTEL_EXPORTER_OTLP_METRICS_HEADERS"},
		kind: headers{}, field: func(s *Settings) any { return &s.Metrics.Headers }, otel: otelHeaders,
		Example: `{authorization: "Bearer ${env:METRICS_TOKEN}"}`,
		Help:    "headers sent with metrics; without them those of traces, where metrics go to the same host"},
	{Name: "metrics.temporality", OTel: []string{"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"}, Default: "cumulative",
		kind: temporalities, field: func(s *Settings) any { return &s.Metrics.Temporality }, otel: otelTemporality,
		Help: "cumulative, delta or lowmemory (here the same as delta)"},
	{Name: "metrics.workflow_name", Default: "false",
		kind: boolean{}, field: func(s *Settings) any { return &s.Metrics.WorkflowName },
		Help: "tell metrics of workflows apart by gen_ai.workflow.name; for workflows that have few names"},
	{Name: "file.path", Flag: "file", Env: "CBC_OTEL_FILE", Placeholder: "PATH",
		kind: text{}, field: func(s *Settings) any { return &s.File },
		Example: `traces.jsonl`,
		Help:    "file the exporter file appends to (OTLP JSON lines); without it the local store"},
	{Name: "store.dir",
		kind: absolute{}, field: func(s *Settings) any { return &s.Store.Dir },
		Example: `/var/lib/cbc-otel/traces`,
		Help:    "folder of the local store; without it $XDG_STATE_HOME/cbc-otel/traces"},
	{Name: "store.max_age", Default: "14d",
		kind: duration{positive: true}, field: func(s *Settings) any { return &s.Store.MaxAge },
		Help: "older traces are removed from the store"},
	{Name: "store.max_bytes", Default: "200MB",
		kind: size{}, field: func(s *Settings) any { return &s.Store.MaxBytes },
		Help: "the oldest traces are removed from a larger store"},
	{Name: "service_name", OTel: []string{"OTEL_SERVICE_NAME"},
		kind: text{}, field: func(s *Settings) any { return &s.ServiceName },
		Example: `my-agents`,
		Help:    "service.name of the resource; OTEL_SERVICE_NAME goes first; without both the name of the command"},
	{Name: "resource_attributes", OTel: []string{"OTEL_RESOURCE_ATTRIBUTES"},
		kind: resourceAttributes{}, field: func(s *Settings) any { return &s.Resource },
		Example: `{deployment.environment.name: ci, team: platform}`,
		Help:    "further attributes of the resource"},
	{Name: "grace", Flag: "grace", Env: "CBC_OTEL_GRACE", Placeholder: "DURATION", Default: "5s",
		kind: duration{}, field: func(s *Settings) any { return &s.Grace },
		Help: "wait this long after a workflow's end for agents that are still running"},
	{Name: "tap", Flag: "tap", Env: "CBC_OTEL_TAP", Default: "auto",
		kind: choice{"auto", "always", "never"}, field: func(s *Settings) any { return &s.Tap },
		Help: "look for workflows in the output; auto: unless the command line or a terminal says there are none"},
	{Name: "trace.parent", Flag: "parent", Env: "CBC_OTEL_PARENT", Default: "child",
		kind: choice{"child", "link", "ignore", "github"}, field: func(s *Settings) any { return &s.Parent },
		Help: "workflows become a child of TRACEPARENT, link to it or ignore it; github: a child of the trace the collector's githubreceiver makes of the run"},
	{Name: "trace.link", Flag: "trace-link", Env: "CBC_OTEL_TRACE_LINK", Placeholder: "TEMPLATE",
		kind: linkTemplate{}, field: func(s *Settings) any { return &s.TraceLink },
		Example: `http://localhost:16686/trace/{trace_id}`,
		Help:    "address of a trace in your backend, {trace_id} in it; said at the end, and linked in the summary"},
	{Name: "trace.session_span", Flag: "session-span", Env: "CBC_OTEL_SESSION_SPAN", Default: "false",
		kind: boolean{}, field: func(s *Settings) any { return &s.SessionSpan },
		Help: "make a span for the command itself, workflows below it, and give it to the command as its TRACEPARENT"},
	{Name: "native", Flag: "native", Env: "CBC_OTEL_NATIVE", Default: "off",
		kind: choice{"off", "merge"}, field: func(s *Settings) any { return &s.Native },
		Help: "merge: have the CLI send its own telemetry to this program, too, and put its requests, tools and tokens below agents (docs/native.md)"},
	{Name: "content", Flag: "content", Env: "CBC_OTEL_CONTENT", OTel: []string{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"}, Default: "false",
		kind: boolean{}, field: func(s *Settings) any { return &s.Content }, otel: otelCapture,
		Help: "export content, too: scripts, previews of prompts and results, summaries, whole errors"},
	{Name: "names.agent", Default: "label",
		kind: choice{"label", "type", "none"}, field: func(s *Settings) any { return &s.AgentNames },
		Help: "what agent spans are named after: label, type (few different names, for span metrics) or none"},
	{Name: "errors", Default: "text",
		kind: choice{"text", "type"}, field: func(s *Settings) any { return &s.ErrorText },
		Help: "what leaves of an error: its text, or its type alone"},
	{Name: "drain", Flag: "drain", Env: "CBC_OTEL_DRAIN", Default: "exit",
		kind: choice{"exit", "wait"}, field: func(s *Settings) any { return &s.Drain },
		Help: "when others hold the output after the command's exit: exit soon, or wait for its end"},
	{Name: "on_signal", Flag: "on-signal", Env: "CBC_OTEL_ON_SIGNAL", Default: "forward",
		kind: choice{"forward", "interrupt"}, field: func(s *Settings) any { return &s.OnSignal },
		Help: "first INT or TERM: forward it, or ask the command to interrupt its work and forward it after the grace period " +
			"(needs --input-format stream-json; input the command has not read is lost at exit)"},
	{Name: "flush_timeout", Flag: "flush-timeout", Env: "CBC_OTEL_FLUSH_TIMEOUT", Placeholder: "DURATION", Default: "3s",
		kind: duration{}, field: func(s *Settings) any { return &s.FlushTimeout },
		Help: "the most that exporting may add to the exit"},
	{Name: "receipt", Flag: "receipt", Env: "CBC_OTEL_RECEIPT", Placeholder: "FILE",
		kind: text{}, field: func(s *Settings) any { return &s.Receipt },
		Example: `cbc-otel-receipt.json`,
		Help:    "write an account of the run as JSON"},
	{Name: "summary", Flag: "summary", Env: "CBC_OTEL_SUMMARY", Placeholder: "FILE",
		kind: text{}, field: func(s *Settings) any { return &s.Summary },
		Example: `auto`,
		Help:    "append a summary of the workflows in Markdown to this file; auto: to $GITHUB_STEP_SUMMARY, if there is one"},
	{Name: "progress", Flag: "progress", Env: "CBC_OTEL_PROGRESS", Default: "none",
		kind: choice{"auto", "tty", "plain", "none"}, field: func(s *Settings) any { return &s.Progress },
		Help: "show on stderr how workflows get on: tty below the cursor of a terminal, plain a line for each agent that ended, " +
			"auto one of both (nothing where the output goes to the same terminal); never as a link under the command's name"},
	{Name: "require_telemetry", Flag: "require-telemetry", Env: "CBC_OTEL_REQUIRE_TELEMETRY", Default: "false",
		kind: boolean{}, field: func(s *Settings) any { return &s.RequireTelemetry },
		Help: "fail if the command succeeds and spans were lost"},
	{Name: "strict", Flag: "strict", Env: "CBC_OTEL_STRICT", Default: "false",
		kind: boolean{}, field: func(s *Settings) any { return &s.Strict },
		Help: "configuration errors stop the shim form, too"},
	{Name: "log_level", Flag: "log-level", Env: "CBC_OTEL_LOG_LEVEL", Default: "warn",
		kind: choice{"debug", "info", "warn", "error"}, field: func(s *Settings) any { return &s.LogLevel },
		Help: "the least important messages that are said on stderr"},
	{Name: "attributes", kind: rules{attributesShape}, Example: attributesExample, Help: "rules that change attributes, in order"},
	{Name: "redaction", kind: rules{redactionShape}, Example: redactionExample, Help: "what is masked, and which attributes may leave"},
	{Name: "drop", kind: rules{dropShape}, Example: dropExample, Help: "spans that do not leave, with all below them"},
}

var (
	exporters    = []string{"otlp", "file", "console", "none"}
	protocols    = choice{"grpc", "http/protobuf"}
	compressions = choice{"gzip", "none"}

	temporalities = choice{"cumulative", "delta", "lowmemory"}
)
