// Package secrets finds well-known credentials in text and masks them: tokens by the prefix of their
// issuer, JWTs, Bearer and Basic values, private keys, URLs with credentials and assignments to names such
// as password. docs/secrets.md lists what is found and what is left alone.
package secrets

import (
	"slices"
	"strings"
	"sync"
)

// DefaultMask replaces what is masked when nobody chose another string.
const DefaultMask = "****"

// Redact masks the credentials in s and leaves every other byte as it is. It has to see a text before the
// text is cut: half a token is no token to any pattern.
func Redact(s string) string {
	s, _ = Patterns{Mask: DefaultMask}.Redact(s)
	return s
}

// Patterns are the built-in patterns with what they are replaced by.
type Patterns struct {
	Mask   string
	Emails bool // e-mail addresses, too
}

// part is a piece of a text: the bytes from start up to end.
type part struct{ start, end int }

// detector finds one family of credentials. It appends the parts of s to be masked, in any order.
type detector struct {
	name     string
	triggers []string // without one of these, in whatever case, there is nothing to find
	find     func(s string, found []part) []part
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
		{"e-mail", nil, findEmails}, // gated by Patterns.Emails and an @
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

// Redact returns s with its credentials masked, and how many there were.
func (p Patterns) Redact(s string) (string, int) {
	if len(s) < 6 {
		return s, 0
	}
	g := secretGate()
	set := g.candidates(s)
	emails := p.Emails && strings.IndexByte(s, '@') >= 0
	if set == 0 && !emails {
		return s, 0
	}
	var found []part
	for i, d := range g.detectors {
		if set&(1<<i) != 0 || (emails && d.triggers == nil) {
			found = d.find(s, found)
		}
	}
	return p.replace(s, found)
}

// replace puts the mask in the place of every part found; parts that overlap or touch become one.
func (p Patterns) replace(s string, found []part) (string, int) {
	found = slices.DeleteFunc(found, func(f part) bool { return f.start >= f.end || p.masked(s, f) })
	if len(found) == 0 {
		return s, 0
	}
	slices.SortFunc(found, func(a, b part) int { return a.start - b.start })
	var b strings.Builder
	n, at := 0, 0
	for i := 0; i < len(found); {
		f := found[i]
		for i++; i < len(found) && found[i].start <= f.end; i++ {
			f.end = max(f.end, found[i].end)
		}
		b.WriteString(s[at:f.start])
		b.WriteString(p.Mask)
		at = f.end
		n++
	}
	b.WriteString(s[at:])
	return b.String(), n
}

// masked reports whether the part is what an earlier pass left behind, so that a second one changes nothing.
func (p Patterns) masked(s string, f part) bool {
	if p.Mask == "" || !strings.HasPrefix(s[f.start:], p.Mask) {
		return false
	}
	end := f.start + len(p.Mask)
	return end >= f.end || !isWord(s[end]) && f.end-end <= 1
}
