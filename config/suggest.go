package config

import "strings"

// suggest returns the one of names that was probably meant, or "".
func suggest(given string, names []string) string {
	given = strings.ReplaceAll(strings.ToLower(given), "-", "_")
	best, least := "", len(given)/3+2
	for _, name := range names {
		if d := distance(given, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is the number of single letters to insert, delete or replace between a and b (Levenshtein).
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
