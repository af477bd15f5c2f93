package main

import "fmt"

// andMore says how many further problems there are.
func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}
