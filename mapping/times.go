package mapping

import "time"

// A time outside these bounds, both in seconds, is taken for absent: no clock of a run says so.
const (
	firstSecond = 978307200  // 2001-01-01T00:00:00Z
	endSecond   = 4133980800 // 2101-01-01T00:00:00Z, not included
)

// maxDuration bounds durations that are added to or taken from a time, in milliseconds.
const maxDuration = (endSecond - firstSecond) * 1000

// stamp is a time in nanoseconds since 1970 UTC. 0 is an absent one. It is a third of a time.Time.
type stamp int64

// never is what a time is when nothing at all is known of it, so that a span still has one.
const never stamp = firstSecond * 1e9

func stampOf(t time.Time) stamp {
	if s := t.Unix(); s < firstSecond || s >= endSecond {
		return 0
	}
	return stamp(t.UnixNano())
}

func (s stamp) time() time.Time { return time.Unix(0, int64(s)).UTC() }

// plus returns s + sign × ms milliseconds, absent if either is or if the sum is out of bounds.
func (s stamp) plus(ms number, sign int64) stamp {
	if s == 0 || !ms.known() || ms > maxDuration {
		return 0
	}
	return stampOf(time.Unix(0, int64(s)).Add(time.Duration(sign*int64(ms)) * time.Millisecond))
}

// earliest returns the smallest of the times that are known.
func earliest(all ...stamp) stamp {
	var first stamp
	for _, s := range all {
		if s != 0 && (first == 0 || s < first) {
			first = s
		}
	}
	return first
}

// firstKnown returns the first of the times that is known.
func firstKnown(all ...stamp) stamp {
	for _, s := range all {
		if s != 0 {
			return s
		}
	}
	return 0
}

// number is a count that may be absent: then it is negative. A count sent as negative says nothing.
type number int64

const absent number = -1

func numberOf(n Number) number {
	if !n.Valid || n.Value < 0 {
		return absent
	}
	return number(n.Value)
}

func (n number) known() bool { return n >= 0 }

// span of time: start and end, end never before start.
type interval struct{ start, end stamp }

// within moves both ends into outer and the end behind the start.
func (i interval) within(outer interval) interval {
	i.start = outer.clamp(i.start)
	i.end = max(outer.clamp(i.end), i.start)
	return i
}

func (i interval) clamp(s stamp) stamp { return min(max(s, i.start), i.end) }
