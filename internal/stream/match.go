package stream

import "bytes"

// MayMatter reports whether a line may hold an event, without parsing it. It is never false for a
// line that does: each event needs certain keys and values, and they are in the line as they are or
// with some of their letters as \u escapes. A key's place in the line says nothing.
func MayMatter(line []byte) bool {
	if !isObject(line) {
		return false
	}
	if mutantSkipKeyOrder {
		return bytes.HasPrefix(line, []byte(`{"type":"system","subtype":"`))
	}
	var noTask, noRun bool
	for rest := line; ; {
		i := indexMarker(rest)
		if i < 0 {
			return false
		}
		switch rest[i-1] {
		case '\\':
			return true
		case 's':
			if noTask = noTask || !bytes.Contains(line, []byte(`"task_`)) && !bytes.Contains(line, []byte(`"init"`)); !noTask {
				return true
			}
		case '_':
			if noRun = noRun || !bytes.Contains(line, []byte(`"runId"`)); !noRun {
				return true
			}
		}
		rest = rest[i:]
	}
}

// isObject reports whether a line starts as a JSON object does.
func isObject(line []byte) bool {
	for _, c := range line {
		if !isBlank(c) {
			return c == '{'
		}
	}
	return false
}

// isBlank reports whether c may come between the start of a line and what is in it.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// HasTimestamp reports whether a line may have cbc's own time stamp, without parsing it.
func HasTimestamp(line []byte) bool {
	return bytes.Contains(line, []byte(`"__timestamp"`)) || hasLetterEscape(line)
}

func hasLetterEscape(line []byte) bool {
	for rest := line; ; {
		i := indexMarker(rest)
		if i < 0 || rest[i-1] == '\\' {
			return i >= 0
		}
		rest = rest[i:]
	}
}

// maxMarker is the length of the longest marker.
const maxMarker = len(`"tool_use_result"`)

// indexMarker returns the position of the u in the first marker in p, -1 if there is none. A line
// without a marker cannot matter. The markers are
//
//	"subtype"           the key that all events of type system have
//	"tool_use_result"   the key of the Workflow tool's result
//	\u0004 to \u0007    an escape that may stand for a letter or an underscore
//
// One pass over the bytes finds them all, as all have a u, and few other things do.
func indexMarker(p []byte) int {
	for i := 0; ; i++ {
		j := bytes.IndexByte(p[i:], 'u')
		if j < 0 {
			return -1
		}
		i += j
		if i == 0 {
			continue
		}
		switch p[i-1] {
		case 's':
			if i >= 2 && p[i-2] == '"' && bytes.HasPrefix(p[i+1:], []byte(`btype"`)) {
				return i
			}
		case '_':
			if bytes.HasPrefix(p[i+1:], []byte(`se_result"`)) && bytes.HasSuffix(p[:i], []byte(`"tool_`)) {
				return i
			}
		case '\\':
			if i+3 < len(p) && p[i+1] == '0' && p[i+2] == '0' && '4' <= p[i+3] && p[i+3] <= '7' {
				return i
			}
		}
	}
}
