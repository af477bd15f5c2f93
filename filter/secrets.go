package filter

import (
	"slices"
	"strings"
	"sync"
)

// DefaultMask replaces what is masked when the configuration names no other string.
const DefaultMask = "****"

// Redact masks the well-known credentials in s, as docs/secrets.md lists them, and leaves every other
// byte as it is. It has to see a text before the text is cut: half a token is no token to any pattern.
func Redact(s string) string {
	s, _ = secrets{mask: DefaultMask}.redact(s)
	return s
}

// secrets are the built-in patterns with what they are replaced by.
type secrets struct {
	mask   string
	emails bool
}

// span is a part of a text: the bytes from start up to end.
type span struct{ start, end int }

// detector finds one family of credentials. It appends the parts of s to be masked, in any order.
type detector struct {
	name     string
	triggers []string // without one of these, in whatever case, there is nothing to find
	find     func(s string, found []span) []span
}

// detectors is the list behind docs/secrets.md.
func detectors() []detector {
	return []detector{
		{"provider token", prefixTriggers(), findPrefixed},
		{"private key", []string{"---"}, findPrivateKeys},
		{"URL with credentials", []string{"://"}, findUserinfo},
		{"JWT", []string{"eyj"}, findJWTs},
		{"authorization", []string{"bearer", "basic", "authorization"}, findAuthorization},
		{"assignment", keywordTriggers(), findAssignments},
		{"e-mail", nil, findEmails}, // gated by secrets.emails and an @
	}
}

// gate is the cheap test in front of the detectors: which of them have a trigger whose first three
// letters occur in a text. One table look-up a byte; most texts pass it without more.
type gate struct {
	detectors []detector
	byTrigram [1 << 15]uint8 // three times five bits → bit set of detectors
}

// secretGate is made at the first text to be looked at, so that a start costs nothing.
var secretGate = sync.OnceValue(func() *gate {
	g := &gate{detectors: detectors()}
	for i, d := range g.detectors {
		for _, t := range d.triggers {
			g.byTrigram[push(push(push(0, t[0]), t[1]), t[2])] |= 1 << i
		}
	}
	return g
})

// push shifts a byte into a trigram. Five bits tell letters apart without regard to case.
func push(t uint32, c byte) uint32 { return (t<<5 | uint32(c&0x1f)) & (1<<15 - 1) }

// candidates is the set of detectors that may find something in s.
func (g *gate) candidates(s string) uint8 {
	var set uint8
	var t uint32
	for i := range len(s) {
		t = push(t, s[i])
		set |= g.byTrigram[t]
	}
	return set
}

// redact returns s with its credentials masked, and how many there were.
func (m secrets) redact(s string) (string, int) {
	if len(s) < 6 {
		return s, 0
	}
	g := secretGate()
	set := g.candidates(s)
	emails := m.emails && strings.IndexByte(s, '@') >= 0
	if set == 0 && !emails {
		return s, 0
	}
	var found []span
	for i, d := range g.detectors {
		if set&(1<<i) != 0 || (emails && d.triggers == nil) {
			found = d.find(s, found)
		}
	}
	return m.replace(s, found)
}

// replace puts the mask in the place of every part found; parts that overlap or touch become one.
func (m secrets) replace(s string, found []span) (string, int) {
	found = slices.DeleteFunc(found, func(f span) bool { return f.start >= f.end || m.masked(s, f) })
	if len(found) == 0 {
		return s, 0
	}
	slices.SortFunc(found, func(a, b span) int { return a.start - b.start })
	var b strings.Builder
	n, at := 0, 0
	for i := 0; i < len(found); {
		f := found[i]
		for i++; i < len(found) && found[i].start <= f.end; i++ {
			f.end = max(f.end, found[i].end)
		}
		b.WriteString(s[at:f.start])
		b.WriteString(m.mask)
		at = f.end
		n++
	}
	b.WriteString(s[at:])
	return b.String(), n
}

// masked reports whether the part is what an earlier pass left behind, so that a second one changes nothing.
func (m secrets) masked(s string, f span) bool {
	if m.mask == "" || !strings.HasPrefix(s[f.start:], m.mask) {
		return false
	}
	end := f.start + len(m.mask)
	return end >= f.end || !isWord(s[end]) && f.end-end <= 1
}
