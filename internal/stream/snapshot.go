package stream

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"cbc-otel/mapping"
)

// snapshot is a workflow_progress list: its text, and where each entry is in it.
type snapshot struct {
	text   []byte     // from the opening to the closing bracket
	bounds []int      // where in text each entry starts (after a bracket or comma), and the end of text
	keys   []entryKey // of each entry
}

// entryKey is what an entry is known by: entries of the same key are about the same agent or phase.
type entryKey struct {
	kind  entryKind
	index int64
}

// reading is a snapshot as it was read, and what it says.
type reading struct {
	snapshot
	at     int  // where in the line it starts
	partly bool // entries that are as they were in the snapshot before were passed over
	agents []mapping.Agent
	phases []mapping.Phase
}

// readSnapshot consumes a workflow_progress list. Entries that are, byte for byte, in old are passed
// over; old may be nil.
//
// What an entry says, and where it ends, depends on nothing before it. So where an entry of old starts,
// an entry of the list starts, and the same bytes follow up to and with the comma or bracket after it,
// it is the same entry, and a valid one. How many are passed over depends on guesses of where the two
// lists meet again, but nothing else does.
func (s *scanner) readSnapshot(r *reading, old *snapshot) {
	r.at = s.i
	s.enter('[')
	if !s.next(']', true) {
		return
	}
	r.bounds = append(r.bounds, s.i-r.at)
	k := 0 // the entry of old that is expected next
	for {
		if old != nil {
			n := old.common(k, s.b[s.i:])
			for _, b := range old.bounds[k+1 : k+n+1] {
				r.bounds = append(r.bounds, s.i-r.at+b-old.bounds[k])
			}
			r.keys = append(r.keys, old.keys[k:k+n]...)
			r.partly = r.partly || n > 0
			s.i = r.at + r.bounds[len(r.bounds)-1]
			if k += n; n > 0 && s.b[s.i-1] == ']' {
				break
			}
		}
		r.keys = append(r.keys, s.readEntry(r))
		c := s.peek()
		if s.bad || c != ',' && c != ']' || len(r.keys) > maxEntries {
			s.fail()
			return
		}
		s.i++
		r.bounds = append(r.bounds, s.i-r.at)
		if c == ']' {
			break
		}
		if old != nil {
			k = old.resume(k, s.b[s.i:])
		}
	}
	if len(r.keys) > maxEntries {
		s.fail()
		return
	}
	s.outer--
	r.text = s.b[r.at:s.i]
}

// common is how many of the entries from k on are at the start of b as well.
func (p *snapshot) common(k int, b []byte) (n int) {
	if k == len(p.keys) {
		return 0
	}
	same := p.bounds[k] + commonPrefix(p.text[p.bounds[k]:], b)
	for k+n < len(p.keys) && p.bounds[k+n+1] <= same {
		n++
	}
	return n
}

// resume guesses which entry of p comes next in b, after one that differs from entry k: usually the one
// after it, but the same again if one was put in between.
func (p *snapshot) resume(k int, b []byte) int {
	const head = 40 // enough to tell `{"type":"workflow_agent","index":1,` from others
	for _, next := range [...]int{k + 1, k} {
		if next < len(p.keys) && commonPrefix(p.text[p.bounds[next]:], b) >= min(head, p.bounds[next+1]-p.bounds[next]) {
			return next
		}
	}
	return min(k+1, len(p.keys))
}

// distinct reports whether no two entries have the same key.
func (p *snapshot) distinct() bool {
	var last [numEntryKinds]entryKey
	sorted := true
	for _, key := range p.keys {
		if l := &last[key.kind]; key.kind != otherEntry {
			sorted = sorted && (l.kind == otherEntry || l.index < key.index)
			*l = key
		}
	}
	if sorted {
		return true // as the CLIs send them
	}
	seen := make(map[entryKey]bool, len(p.keys))
	for _, key := range p.keys {
		if seen[key] {
			return false
		}
		seen[key] = key.kind != otherEntry
	}
	return true
}

// commonPrefix is the number of bytes at the start of a and b that are equal.
func commonPrefix(a, b []byte) int {
	const block = 1 << 10
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	i := 0
	for i+block <= n && bytes.Equal(a[i:i+block], b[i:i+block]) {
		i += block
	}
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
