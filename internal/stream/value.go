package stream

import (
	"math"
	"strconv"
	"time"

	"cbc-otel/mapping"
)

// maxText bounds the bytes of text taken from one JSON string. Spans carry far less of any of them;
// the bound keeps a hostile line from being held in memory whole.
const maxText = 64 << 10

// text consumes a value and returns its text, "" unless it is a string.
func (s *scanner) text() string {
	if s.peek() != '"' {
		s.skip()
		return ""
	}
	return decodeText(s.str())
}

// textLike is text, but returns like itself if it is the text.
func (s *scanner) textLike(like string) string {
	if s.peek() == '"' {
		if raw := s.str(); string(raw) != like || !isPlain(raw) {
			return decodeText(raw)
		}
		return like
	}
	s.skip()
	return ""
}

func decodeText(raw []byte) string {
	if len(raw) <= maxText && isPlain(raw) {
		return string(raw)
	}
	return string(unquote(nil, raw, maxText))
}

// number consumes a value and returns it as a whole number, absent unless it is a number that an
// int64 can hold once its fraction is cut off.
func (s *scanner) number() mapping.Number {
	switch c := s.peek(); {
	case c == '-' || '0' <= c && c <= '9':
		return decodeNumber(s.num())
	default:
		s.skip()
		return mapping.Number{}
	}
}

func decodeNumber(raw []byte) mapping.Number {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return mapping.Number{Value: n, Valid: true}
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.Abs(f) >= 1<<63 {
		return mapping.Number{}
	}
	return mapping.Number{Value: int64(f), Valid: true}
}

// index consumes a value and returns it as the index of a snapshot's entry. Unlike a count, an index
// with a fraction is no index at all: cut off, it would name another entry.
func (s *scanner) index() mapping.Number {
	s.peek()
	start := s.i
	n := s.number()
	if !n.Valid || s.bad {
		return mapping.Number{}
	}
	if f, err := strconv.ParseFloat(string(s.b[start:s.i]), 64); err != nil || f != math.Trunc(f) {
		return mapping.Number{}
	}
	return n
}

// boolean consumes a value and reports whether it is true.
func (s *scanner) boolean() bool {
	yes := s.peek() == 't'
	s.skip()
	return yes && !s.bad
}

// millis consumes a value and returns it as a time, in milliseconds since the epoch.
func (s *scanner) millis() time.Time {
	n := s.number()
	if !n.Valid {
		return time.Time{}
	}
	return plausible(time.UnixMilli(n.Value))
}

// stamp consumes a value and returns it as a time, in the form of RFC 3339.
func (s *scanner) stamp() time.Time {
	if s.peek() != '"' {
		s.skip()
		return time.Time{}
	}
	raw := s.str()
	if len(raw) > 64 {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, decodeText(raw))
	if err != nil {
		return time.Time{}
	}
	return plausible(t)
}

var (
	earliest = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC)
)

// plausible returns t in UTC, or the zero time if t is outside the years 2001 to 2100: zeros, counters
// and seconds that were put where milliseconds belong.
func plausible(t time.Time) time.Time {
	if t.Before(earliest) || !t.Before(latest) {
		return time.Time{}
	}
	return t.UTC()
}
