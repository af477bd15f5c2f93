package stream

import "bytes"

// maxDepth is how deep objects and arrays may nest, the limit of encoding/json.
const maxDepth = 10000

// scanner reads one JSON text from the front. The first fault latches: from then on bad is true,
// every method returns a zero value and every loop over next ends.
//
// The methods that return text return raw slices of the input; unquote turns them into strings.
type scanner struct {
	b   []byte
	i   int
	bad bool

	outer int    // nesting of the values entered with enter
	stack []byte // nesting inside skip, kept to be used again
}

func (s *scanner) reset(b []byte) {
	*s = scanner{b: b, stack: s.stack[:0]}
}

func (s *scanner) fail() { s.bad = true }

// peek returns the byte at the current position after white space, 0 at the end or after a fault.
func (s *scanner) peek() byte {
	for !s.bad && s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return c
		}
	}
	return 0
}

// enter consumes the opening bracket of an object or array.
func (s *scanner) enter(open byte) {
	if s.peek() != open || s.outer >= maxDepth {
		s.fail()
		return
	}
	s.i++
	s.outer++
}

// next reports whether the object or array just entered has one more member, and consumes the comma
// before it, or else the closing bracket. first says that no member has been read yet.
func (s *scanner) next(closing byte, first bool) bool {
	c := s.peek()
	switch {
	case s.bad:
		return false
	case c == closing:
		s.i++
		s.outer--
		return false
	case first:
		return true
	case c == ',':
		s.i++
		if s.peek() == closing { // a trailing comma
			s.fail()
		}
		return !s.bad
	}
	s.fail()
	return false
}

// key consumes a member's name and the colon, and returns the name without quotes, still escaped.
func (s *scanner) key() []byte {
	k := s.str()
	if s.peek() != ':' {
		s.fail()
		return nil
	}
	s.i++
	return k
}

// str consumes a string and returns what is between its quotes, still escaped.
func (s *scanner) str() []byte {
	if s.peek() != '"' {
		s.fail()
		return nil
	}
	s.i++
	start := s.i
	for {
		i := s.i + plainRun(s.b[s.i:])
		if i >= len(s.b) {
			s.fail()
			return nil
		}
		switch s.b[i] {
		case '"':
			s.i = i + 1
			return s.b[start:i]
		case '\\':
			n := escapeLen(s.b[i:])
			if n == 0 {
				s.fail()
				return nil
			}
			s.i = i + n
		default: // a raw control character
			s.fail()
			return nil
		}
	}
}

// escapeLen is the length of the escape sequence that starts b, 0 if it is not a valid one.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b); ok {
			return 6
		}
	}
	return 0
}

// hex4 reads the code unit of a \uXXXX escape that starts b.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// literal consumes word if it stands at the current position.
func (s *scanner) literal(word string) {
	if !bytes.HasPrefix(s.b[s.i:], []byte(word)) {
		s.fail()
		return
	}
	s.i += len(word)
}

// num consumes a number and returns its text.
func (s *scanner) num() []byte {
	s.peek()
	start := s.i
	if s.at('-') {
		s.i++
	}
	switch {
	case s.at('0'):
		s.i++
	case s.digits() == 0:
		s.fail()
		return nil
	}
	if s.at('.') {
		s.i++
		if s.digits() == 0 {
			s.fail()
			return nil
		}
	}
	if s.at('e') || s.at('E') {
		s.i++
		if s.at('+') || s.at('-') {
			s.i++
		}
		if s.digits() == 0 {
			s.fail()
			return nil
		}
	}
	return s.b[start:s.i]
}

func (s *scanner) at(c byte) bool { return s.i < len(s.b) && s.b[s.i] == c }

func (s *scanner) digits() (n int) {
	for s.i < len(s.b) && '0' <= s.b[s.i] && s.b[s.i] <= '9' {
		s.i++
		n++
	}
	return n
}

// skip consumes one value of any kind, and checks it. It does not recurse: a line of eight million
// brackets must not eat the stack.
func (s *scanner) skip() {
	s.stack = s.stack[:0]
	for !s.bad {
		// A value starts here.
		switch c := s.peek(); c {
		case '{', '[':
			s.i++
			if s.push(c); s.peek() == c+2 { // ']' and '}' are two after their opening brackets
				break
			}
			if c == '{' {
				s.key()
			}
			continue
		case '"':
			s.str()
		case 't':
			s.literal("true")
		case 'f':
			s.literal("false")
		case 'n':
			s.literal("null")
		default:
			s.num()
		}
		// A value has ended, or an empty object or array is about to be closed.
		if s.pop(); len(s.stack) == 0 {
			return
		}
	}
}

func (s *scanner) push(open byte) {
	if s.outer+len(s.stack) >= maxDepth {
		s.fail()
		return
	}
	s.stack = append(s.stack, open)
}

// pop consumes the closing brackets that stand after a value, and the comma (and name) before the
// next value, if there is one.
func (s *scanner) pop() {
	for !s.bad && len(s.stack) > 0 {
		open := s.stack[len(s.stack)-1]
		switch c := s.peek(); {
		case c == open+2:
			s.i++
			s.stack = s.stack[:len(s.stack)-1]
		case c == ',':
			s.i++
			if open == '{' {
				s.key()
			} else if s.peek() == ']' {
				s.fail()
			}
			return
		default:
			s.fail()
		}
	}
}
