package filter

import (
	"slices"
	"strings"
)

// outcomes are what the summary of one place tells.
type outcomes struct {
	redacted, masked, allowed []string
	ignored                   int
}

func (n *outcomes) add(o outcomes) {
	n.redacted = append(n.redacted, o.redacted...)
	n.masked = append(n.masked, o.masked...)
	n.allowed = append(n.allowed, o.allowed...)
	n.ignored += o.ignored
}

// Keys of the summary, as the collector's redaction processor names them.
const (
	summaryRedacted = "redaction.redacted."
	summaryMasked   = "redaction.masked."
	summaryAllowed  = "redaction.allowed."
	summaryIgnored  = "redaction.ignored."
)

func isSummary(key string) bool {
	for _, s := range []string{summaryRedacted, summaryMasked, summaryAllowed} {
		if key == s+"keys" || key == s+"count" {
			return true
		}
	}
	return key == summaryIgnored+"count"
}

// write puts the summary into the place. Keys that are gone and values that are masked add to what an
// earlier pass wrote; the other two counts are seen whole by every pass.
func (n *outcomes) write(p *pass, b *bag) {
	if p.rules.redaction.summary == "" {
		return
	}
	p.summarize(b, summaryRedacted, n.redacted, len(n.redacted), true)
	p.summarize(b, summaryMasked, n.masked, len(n.masked), true)
	p.summarize(b, summaryAllowed, n.allowed, len(n.allowed), false)
	p.summarize(b, summaryIgnored, nil, n.ignored, false)
}

func (p *pass) summarize(b *bag, prefix string, keys []string, count int, adds bool) {
	if count == 0 {
		if !adds {
			b.remove(func(it *item) bool { return it.key == prefix+"count" || it.key == prefix+"keys" })
		}
		return
	}
	if p.rules.redaction.summary == "debug" && keys != nil {
		if was, _ := b.get(prefix + "keys"); adds && was != nil && asText(was) != "" {
			keys = append(keys, strings.Split(asText(was), ",")...)
		}
		slices.Sort(keys)
		p.put(b, prefix+"keys", strings.Join(keys, ","))
	}
	total := int64(count)
	if was, _ := b.get(prefix + "count"); adds {
		if n, isNumber := was.(int64); isNumber {
			total += n
		}
	}
	p.put(b, prefix+"count", total)
}
