package simcbc

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// invocation is a command line, understood.
type invocation struct {
	opt    Options
	prompt string
	print  bool // -p
	input  string
	output string
	help   bool
}

// setting is one of our own flags. Each can also be given in the environment: --sim-late is
// CBC_SIM_LATE, for a simulated CLI that is started by something that passes no flags of ours.
type setting struct {
	name, help string
	set        func(*Options, string) error
}

func settings() []setting {
	return []setting{
		{"flavour", "cbc (default) or claude", func(o *Options, v string) error { o.Flavour = Flavour(v); return nil }},
		{"scenario", "what to play: " + strings.Join(Scenarios(), ", "), func(o *Options, v string) error { o.Scenario = v; return nil }},
		{"seed", "number that decides ids and durations (default: another one each time)", func(o *Options, v string) (err error) { o.Seed, err = strconv.ParseUint(v, 10, 64); return }},
		{"speed", "how much faster than life (default 1)", func(o *Options, v string) (err error) { o.Speed, err = strconv.ParseFloat(v, 64); return }},
		{"agents", "agents of fan-out (default 150)", func(o *Options, v string) (err error) { o.Agents, err = strconv.Atoi(v); return }},
		{"concurrency", "agents at a time", func(o *Options, v string) (err error) { o.Concurrency, err = strconv.Atoi(v); return }},
		{"late", "cbc: when the last late snapshot comes after an interrupt (default 1.5s)", func(o *Options, v string) (err error) { o.Late, err = time.ParseDuration(v); return }},
		{"interrupt-after", "interrupt itself so long after the first workflow started", func(o *Options, v string) (err error) { o.InterruptAfter, err = time.ParseDuration(v); return }},
		{"cut-after", "end without a word so long after the first workflow started", func(o *Options, v string) (err error) { o.CutAfter, err = time.ParseDuration(v); return }},
		{"exit", "exit code (default 0)", func(o *Options, v string) (err error) { o.ExitCode, err = strconv.Atoi(v); return }},
		{"start", "do not wait but pretend, from this time (RFC 3339) on; with a seed the stream is then always the same", setStart},
	}
}

func setStart(o *Options, v string) error {
	t, err := time.Parse(time.RFC3339, v)
	o.Clock = NewJump(t)
	return err
}

// withValue lists flags of the real CLIs that take a value, which must not be mistaken for the prompt.
// Any other flag of theirs is ignored alone.
var withValue = []string{
	"--model", "--permission-mode", "--session-id", "--resume", "--settings",
	"--setting-sources", "--max-turns", "--mcp-config", "--permission-prompt-tool",
	"--add-dir", "--allowedTools", "--disallowedTools", "--tools", "--system-prompt",
	"--append-system-prompt", "--fallback-model", "--agents", "--plugin-dir",
}

// parse reads the environment, then the arguments.
func parse(args []string, getenv func(string) string) (invocation, error) {
	inv := invocation{input: "text", output: "text"}
	for _, s := range settings() {
		key := "CBC_SIM_" + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
		if v := getenv(key); v != "" {
			if err := s.set(&inv.opt, v); err != nil {
				return inv, fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	inv.opt.disabled = getenv("CODEBUDDY_DISABLE_WORKFLOWS") == "1"
	for len(args) > 0 {
		name, value, inline := strings.Cut(args[0], "=")
		args = args[1:]
		take := func() (string, error) {
			switch {
			case inline:
				return value, nil
			case len(args) == 0:
				return "", fmt.Errorf("%s needs a value", name)
			}
			value, args = args[0], args[1:]
			return value, nil
		}
		var err error
		switch {
		case name == "-p" || name == "--print":
			inv.print = true
		case name == "-h" || name == "--help":
			inv.help = true
		case name == "--output-format":
			inv.output, err = take()
		case name == "--input-format":
			inv.input, err = take()
		case strings.HasPrefix(name, "--sim-"):
			err = inv.own(name, take)
		case slices.Contains(withValue, name):
			_, err = take()
		case !strings.HasPrefix(name, "-"):
			inv.prompt = strings.TrimSpace(inv.prompt + " " + name)
			if inline { // a prompt with an equals sign
				inv.prompt += "=" + value
			}
		}
		if err != nil {
			return inv, err
		}
	}
	switch inv.output {
	case "stream-json", "json", "text":
	default:
		return inv, fmt.Errorf("--output-format %q: want stream-json, json or text", inv.output)
	}
	return inv, nil
}

func (inv *invocation) own(name string, take func() (string, error)) error {
	for _, s := range settings() {
		if name != "--sim-"+s.name {
			continue
		}
		v, err := take()
		if err == nil {
			err = s.set(&inv.opt, v)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	return fmt.Errorf("unknown flag %s", name)
}

func usage(w io.Writer) {
	fmt.Fprint(w, `A simulated agent CLI: plays a scripted workflow and writes it as stream-json.

  -p [PROMPT]             play for PROMPT, then end; /NAME in front of it picks a scenario
  --input-format FORMAT   text (default), or stream-json: messages on stdin until it ends
  --output-format FORMAT  text (default), json or stream-json
`)
	for _, s := range settings() {
		fmt.Fprintf(w, "  --sim-%-17s %s\n", s.name, s.help)
	}
	fmt.Fprintln(w, "\nOther flags of cbc and claude are accepted and ignored.")
}
