package native

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"

	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"cbc-otel/exporter/otlpjson"
)

// payload is the decoded body of one request.
type payload struct {
	traces *tracepb.TracesData
	logs   *logspb.LogsData
}

var errTooLarge = errors.New("larger than the limit when unpacked")

// decode reads a body by what its headers say. The messages of a request have the fields of TracesData and LogsData.
func decode(signal Signal, contentType, encoding string, body []byte) (p payload, err error) {
	if encoding == "gzip" {
		if body, err = unpack(body); err != nil {
			return p, err
		}
	} else if encoding != "" && encoding != "identity" {
		return p, fmt.Errorf("content encoding %q", encoding)
	}
	var message proto.Message
	switch signal {
	case Traces:
		p.traces = &tracepb.TracesData{}
		message = p.traces
	case Logs:
		p.logs = &logspb.LogsData{}
		message = p.logs
	default:
		return p, nil
	}
	switch media, _, _ := mime.ParseMediaType(contentType); media {
	case "application/json":
		err = otlpjson.UnmarshalInto(body, message)
	case "application/x-protobuf":
		err = proto.Unmarshal(body, message)
	default:
		err = fmt.Errorf("content type %q", contentType)
	}
	return p, err
}

func unpack(body []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	if len(plain) > maxBody {
		return nil, errTooLarge
	}
	return plain, nil
}

// origin tells whose telemetry a payload is.
type origin struct{ claude, codeBuddy, others bool }

func (o *origin) add(scope string) {
	switch {
	case isClaude(scope):
		o.claude = true
	case isCodeBuddy(scope):
		o.codeBuddy = true
	default:
		o.others = true
	}
}

func (p payload) origin() (o origin) {
	for _, rs := range p.traces.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			o.add(ss.GetScope().GetName())
		}
	}
	for _, rl := range p.logs.GetResourceLogs() {
		for _, sl := range rl.GetScopeLogs() {
			o.add(sl.GetScope().GetName())
		}
	}
	return o
}
