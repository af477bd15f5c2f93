package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
)

// nativeCLI plays a CLI that has telemetry of its own: it prints the recorded stream it is given, and sends what was
// recorded beside it to where its environment says, if that turns it on.
//
//	nativecli STREAM.gz TELEMETRY.gz ENVIRONMENT [garbage]
//
// ENVIRONMENT is a file that gets the variables that have to do with it. With "garbage" that is what is sent.
func nativeCLI() {
	stream, telemetry, environment := os.Args[1], os.Args[2], os.Args[3]
	var env []string
	for _, entry := range os.Environ() {
		if strings.Contains(entry, "OTEL_") && !strings.HasPrefix(entry, "CBC_OTEL_") || strings.Contains(entry, "TELEMETRY") {
			env = append(env, entry)
		}
	}
	slices.Sort(env)
	must(os.WriteFile(environment, []byte(strings.Join(env, "\n")+"\n"), 0o600))

	bodies := bytes.Split(unpackedFile(telemetry), []byte("\n"))
	lines := bufio.NewReader(bytes.NewReader(unpackedFile(stream)))
	for {
		line, err := lines.ReadBytes('\n')
		_, _ = os.Stdout.Write(line)
		if len(bodies) > 0 {
			send(bodies[0], len(os.Args) > 4)
			bodies = bodies[1:]
		}
		if err != nil {
			break
		}
	}
	for _, body := range bodies {
		send(body, len(os.Args) > 4)
	}
}

// send sends as the CLI does: whatever comes of it is nobody's concern.
func send(line []byte, garbage bool) {
	var one struct {
		Signal string
		Body   json.RawMessage
	}
	if os.Getenv("CLAUDE_CODE_ENABLE_TELEMETRY") != "1" || json.Unmarshal(line, &one) != nil || one.Signal == "" {
		return
	}
	if garbage {
		one.Body = one.Body[:len(one.Body)/2]
	}
	resp, err := http.Post(os.Getenv("OTEL_EXPORTER_OTLP_"+strings.ToUpper(one.Signal)+"_ENDPOINT"), "application/json", bytes.NewReader(one.Body)) //nolint:noctx // a test
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

func unpackedFile(path string) []byte {
	file, err := os.Open(path)
	must(err)
	defer file.Close() //nolint:errcheck // only read
	z, err := gzip.NewReader(file)
	must(err)
	data, err := io.ReadAll(z)
	must(err)
	return data
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
