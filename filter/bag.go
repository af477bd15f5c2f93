package filter

import "cbc-otel/mapping"

// bag is a list of attributes in work: a span's, an event's, a link's, the resource's, or the one text of
// a status. What it was made from is never written to; others may hold it, too.
type bag struct {
	items   []item
	changed bool
}

// item is an attribute with what is known of its key.
type item struct {
	key   string
	value any
	facts *keyFacts
}

// find returns the index of the first item with the key, or -1.
func (b *bag) find(key string) int {
	for i := range b.items {
		if b.items[i].key == key {
			return i
		}
	}
	return -1
}

func (b *bag) get(key string) (any, bool) {
	if i := b.find(key); i >= 0 {
		return b.items[i].value, true
	}
	return nil, false
}

func (b *bag) set(i int, value any) {
	b.items[i].value = value
	b.changed = true
}

// remove removes the items for which gone is true, and returns how many.
func (b *bag) remove(gone func(*item) bool) int {
	kept := b.items[:0]
	for i := range b.items {
		if !gone(&b.items[i]) {
			kept = append(kept, b.items[i])
		}
	}
	n := len(b.items) - len(kept)
	b.items = kept
	b.changed = b.changed || n > 0
	return n
}

// list returns the attributes of the bag: was, if nothing changed.
func (b *bag) list(was []mapping.Attribute) []mapping.Attribute {
	if !b.changed {
		return was
	}
	if len(b.items) == 0 {
		return nil
	}
	out := make([]mapping.Attribute, len(b.items))
	for i, it := range b.items {
		out[i] = mapping.Attribute{Key: it.key, Value: it.value}
	}
	return out
}
