package otlpjson

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Unmarshal reads one line, of this package or of another writer of OTLP JSON. Unknown fields are ignored, as
// the specification asks.
func Unmarshal(line []byte) (*tracepb.TracesData, error) {
	var data tracepb.TracesData
	if err := UnmarshalInto(line, &data); err != nil {
		return nil, err
	}
	return &data, nil
}

// UnmarshalInto is Unmarshal for the message of another signal.
func UnmarshalInto(line []byte, message proto.Message) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return fmt.Errorf("OTLP JSON: %w", err)
	}
	if err := idsToBase64(tree); err != nil {
		return err
	}
	plain, err := json.Marshal(tree)
	if err != nil {
		return fmt.Errorf("OTLP JSON: %w", err)
	}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(plain, message); err != nil {
		return fmt.Errorf("OTLP JSON: %w", err)
	}
	return nil
}

// idsToBase64 turns the ids, which are hex in OTLP JSON, into the base64 that ProtoJSON has for bytes.
func idsToBase64(node any) error {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			if err := idsToBase64(child); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, child := range node {
			text, isText := child.(string)
			switch {
			case isText && (name == "traceId" || name == "spanId" || name == "parentSpanId"):
				id, err := hex.DecodeString(text)
				if err != nil {
					return fmt.Errorf("OTLP JSON: %s is not hexadecimal", name)
				}
				node[name] = base64.StdEncoding.EncodeToString(id)
			case !isText:
				if err := idsToBase64(child); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
