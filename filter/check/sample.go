package check

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// shortest is how long a sample is at least: a shorter one would be found in innocent text.
const shortest = 5

// sample makes a text that the pattern matches, or none.
func sample(pattern string) (string, bool) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", false
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	tree = tree.Simplify()
	for more := range 7 {
		var b strings.Builder
		write(&b, tree, more)
		s := b.String()
		// The mapper trims names and collapses white space; a sample that changes there proves nothing.
		if len(s) >= shortest && re.MatchString(s) && strings.Join(strings.Fields(s), " ") == s {
			return s, true
		}
	}
	return "", false
}

// write writes a match of the expression, in which what may be repeated is repeated more times than it must.
func write(b *strings.Builder, re *syntax.Regexp, more int) {
	repeat := func(n int) {
		for range n {
			write(b, re.Sub[0], more)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(member(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpStar, syntax.OpQuest:
		if re.Op == syntax.OpQuest {
			repeat(min(more, 1))
		} else {
			repeat(more)
		}
	case syntax.OpPlus:
		repeat(1 + more)
	case syntax.OpRepeat:
		n := re.Min + more
		if re.Max >= 0 {
			n = min(n, re.Max)
		}
		repeat(n)
	case syntax.OpCapture:
		repeat(1)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub, more)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[0], more)
	}
}

// member is a letter or digit of the class, if it has one.
func member(ranges []rune) rune {
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := max(ranges[i], '0'); r <= min(ranges[i+1], 'z'); r++ {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
		}
	}
	if len(ranges) == 0 {
		return 'x'
	}
	return ranges[0]
}
