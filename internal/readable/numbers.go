// Package readable writes numbers and texts the way people read them on a terminal or page.
package readable

import (
	"fmt"
	"strconv"
	"time"
)

// Duration is rounded down to what one can tell apart: 120ms, 4.2s, 3m05s, 2h07m. A negative one is 0ms.
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", max(d, 0).Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// Thousands puts commas into a number: 1,234,567.
func Thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Count is a number with its noun: 1 agent, 2,000 agents.
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(n) + " " + noun + "s"
}

// Percent is a part of 1 in whole percent, rounded down so that only all of it is 100%.
func Percent(part float64) string { return strconv.Itoa(int(part*100+1e-9)) + "%" }
