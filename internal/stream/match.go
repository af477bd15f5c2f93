package stream

import "bytes"

// MayMatter reports whether a line may hold an event, without parsing it. It is never false for a
// line that does: each event needs certain keys and values, and they are in the line as they are or
// with some of their letters as \u escapes. A key's place in the line says nothing.
func MayMatter(line []byte) bool {
	switch {
	case bytes.Contains(line, []byte(`"subtype"`)) && (bytes.Contains(line, []byte(`"task_`)) || bytes.Contains(line, []byte(`"init"`))):
		return true
	case bytes.Contains(line, []byte(`"tool_use_result"`)) && bytes.Contains(line, []byte(`"runId"`)):
		return true
	}
	return hasLetterEscape(line)
}

// hasLetterEscape reports whether line has a \u escape that may stand for a letter or an underscore,
// the only characters of the keys and values that MayMatter looks for.
func hasLetterEscape(line []byte) bool {
	for {
		i := bytes.Index(line, []byte(`\u00`))
		if i < 0 || i+4 >= len(line) {
			return false
		}
		if c := line[i+4]; '4' <= c && c <= '7' {
			return true
		}
		line = line[i+4:]
	}
}

// HasTimestamp reports whether a line may have cbc's own time stamp, without parsing it.
func HasTimestamp(line []byte) bool {
	return bytes.Contains(line, []byte(`"__timestamp"`)) || hasLetterEscape(line)
}
