//go:build unix

package main

import (
	"slices"
	"time"
)

// sample is one run of one set-up.
type sample struct {
	wall  time.Duration // from the first start to the last exit
	cpu   time.Duration // of the program in the middle, without its child
	peak  int64         // bytes, of the program in the middle
	bytes int64         // that came out
}

// series are the samples of one set-up in their order.
type series []sample

func (s series) wall() time.Duration {
	return median(s, func(x sample) time.Duration { return x.wall })
}
func (s series) cpu() time.Duration { return median(s, func(x sample) time.Duration { return x.cpu }) }
func (s series) peak() int64        { return median(s, func(x sample) int64 { return x.peak }) }

// median of f over xs, 0 of nothing.
func median[T any, N ~int64 | ~float64](xs []T, f func(T) N) N {
	if len(xs) == 0 {
		return 0
	}
	var values []N
	for _, x := range xs {
		values = append(values, f(x))
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// percentile p (0 to 1) of sorted values: the smallest that p of them do not exceed.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	i := int(p*float64(len(sorted))+0.999999) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

// ratio is a/b, 0 when there is no b.
func ratio[N ~int64 | ~float64](a, b N) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
