package mapping

// counts are the agents of a phase or workflow by their fates.
type counts struct {
	of               [fates]int
	cancelledStarted int
	tokens           number // sum of those that are known
}

func newCounts() counts { return counts{tokens: absent} }

func (n *counts) add(f fate, a *agent) {
	n.of[f]++
	if f == agentCancelled && a.hasStarted() {
		n.cancelledStarted++
	}
	if a.tokens.known() {
		n.tokens = max(n.tokens, 0)
		if n.tokens += a.tokens; n.tokens < 0 { // more than fits
			n.tokens = 1<<63 - 1
		}
	}
}

func (n counts) total() int {
	total := 0
	for _, c := range n.of {
		total += c
	}
	return total
}

// attributes adds the counts under the prefix. A count of 0 is known, not absent.
func (n counts) attributes(list []Attribute, prefix string) []Attribute {
	list = append(list, Attribute{prefix + "total", int64(n.total())})
	for f, c := range n.of {
		list = append(list, Attribute{prefix + fate(f).String(), int64(c)})
	}
	return list
}
