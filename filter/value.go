package filter

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// asText is the text of a value as the collector's Value.AsString has it: numbers as in JSON, arrays as JSON.
func asText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		}
		return asJSON(v)
	case []string:
		return asJSON(v)
	}
	return ""
}

// asJSON marshals what cannot fail, without the escapes for HTML.
func asJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// hashed is the SHA-256 of a value, as the action hash of the collector makes it: of a text its bytes, of
// a number its eight bytes, little endian, of a bool one byte; an array becomes the empty string.
func hashed(value any) string {
	var raw []byte
	switch v := value.(type) {
	case string:
		raw = []byte(v)
	case bool:
		raw = []byte{0}
		if v {
			raw[0] = 1
		}
	case int64:
		raw = binary.LittleEndian.AppendUint64(nil, uint64(v))
	case float64:
		raw = binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
	default:
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// converted is a value as int, double or string. What cannot be converted stays as it is.
func converted(value any, to string) any {
	switch to {
	case "string":
		return asText(value)
	case "int":
		switch v := value.(type) {
		case float64:
			return int64(v)
		case bool:
			if v {
				return int64(1)
			}
			return int64(0)
		case string:
			if n, err := strconv.ParseInt(v, 10, 64); err == nil {
				return n
			}
		}
	case "double":
		switch v := value.(type) {
		case int64:
			return float64(v)
		case bool:
			if v {
				return 1.0
			}
			return 0.0
		case string:
			if f, err := strconv.ParseFloat(v, 64); err == nil {
				return f
			}
		}
	}
	return value
}

// sameValue reports whether two values are of one type and equal.
func sameValue(a, b any) bool {
	list, isList := a.([]string)
	if !isList {
		_, other := b.([]string)
		return !other && a == b
	}
	other, isList := b.([]string)
	return isList && slices.Equal(list, other)
}

// configValue makes a value of a configuration one that an attribute can have.
func configValue(value any) (any, error) {
	switch v := value.(type) {
	case nil, string, bool, int64, float64, []string:
		return v, validText(v)
	case int:
		return int64(v), nil
	case uint64:
		if v > math.MaxInt64 {
			return nil, fmt.Errorf("a number over %d does not fit", math.MaxInt64)
		}
		return int64(v), nil
	case []any:
		list := make([]string, len(v))
		for i, e := range v {
			s, isText := e.(string)
			if !isText {
				return nil, fmt.Errorf("a list can hold strings only")
			}
			list[i] = s
		}
		return list, validText(list)
	}
	return nil, fmt.Errorf("must be a string, number, bool or list of strings")
}

func validText(value any) error {
	var all []string
	switch v := value.(type) {
	case string:
		all = []string{v}
	case []string:
		all = v
	}
	for _, s := range all {
		if !utf8.ValidString(s) {
			return fmt.Errorf("not valid UTF-8")
		}
	}
	return nil
}
