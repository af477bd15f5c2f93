package secrets

import "strings"

// references are the beginnings of values that say where a secret is, not what it is.
var references = []string{
	"${", "$(", "{{", "<", "$env:", "process.env", "os.environ", "os.getenv", "os.Getenv", "env.", "ENV[", "env(",
	"getenv(", "secrets.", "vars.", "self.", "this.", "config.", "args.", "options.", "opts.", "settings.",
}

// isReference reports whether v names a variable or placeholder instead of holding a value.
func isReference(v string) bool {
	if v == "" {
		return true
	}
	for _, r := range references {
		if strings.HasPrefix(v, r) {
			return true
		}
	}
	if len(v) > 1 && v[0] == '$' { // $TOKEN, but not $ecret
		return strings.Trim(v[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" && !isDigit(v[1])
	}
	if len(v) <= 3 && v[0] == '%' { // %q
		return true
	}
	if len(v) > 2 && v[0] == '%' && v[len(v)-1] == '%' { // %TOKEN%
		return run(v, 1, isWord) == len(v)-1
	}
	return strings.Trim(v, "*") == "" || strings.Trim(v, "x") == "" || strings.Trim(v, ".") == "" || v == "…"
}

// nothings stand in schemas and printed structures where a value would.
const nothings = " true false null nil none undefined string str number int integer bool boolean object any unknown" +
	" required optional missing empty unset redacted [redacted] hidden masked "

// stopWords also begin what follows in a sentence: password: please try again.
const stopWords = nothings + "invalid expired incorrect wrong is are was not no the a an and or must should can cannot could may" +
	" has have for in at to too of from with please enter try check use your user auth authentication authorization" +
	" unauthorized forbidden failed yes bytes error denied rejected changed reset set value default" +
	" permission operation command ok okay done accepted file unable "

// isOneOf reports whether v is, apart from punctuation, one of the words.
func isOneOf(words, v string) bool {
	return len(v) < 24 && !strings.ContainsAny(v, " \t\n") && strings.Contains(words, " "+strings.ToLower(strings.Trim(v, ".,;:!?"))+" ")
}

func isNothing(v string) bool  { return isOneOf(nothings, v) }
func isStopWord(v string) bool { return isOneOf(stopWords, v) }

// isCall reports whether v is a call in code, whole or up to its first argument: name(, a.b(c), []byte(.
func isCall(v string) bool {
	end := run(v, 0, func(c byte) bool { return isWord(c) || strings.IndexByte(".[]*&", c) >= 0 })
	return end > 0 && end < len(v) && v[end] == '(' && (end == len(v)-1 || strings.IndexByte(v[end:], ')') > 0)
}

// isCode reports whether v, after a : or a = with blanks, is an expression of a program: a.b.c, x.y[1], T{,
// or a variable that is called like what it holds.
func isCode(v string, kind class) bool {
	v = strings.TrimLeft(v, "*&")
	end := run(v, 0, func(c byte) bool { return isWord(c) || c == '.' })
	dotted := strings.Contains(v[:end], ".")
	if end < len(v) && kind == token {
		switch v[end] {
		case '(', '{':
			return true
		case '[':
			return dotted || strings.HasPrefix(v[end:], "[]") || strings.HasPrefix(v[end:], "[:")
		}
	}
	if end < len(v) {
		return false
	}
	if classify(v) != noSecret {
		return dotted || kind == token
	}
	return dotted && kind == token && !hasDigit(v)
}

// isHexNumber reports whether v is a constant such as -0x7f879679.
func isHexNumber(v string) bool {
	digits, ok := strings.CutPrefix(strings.TrimPrefix(v, "-"), "0x")
	return ok && len(digits) <= 16 && run(digits, 0, isHex) == len(digits)
}

// isPath reports whether v is a file's path: two segments at least, in lower case as most are.
func isPath(v string) bool {
	v = strings.TrimPrefix(strings.TrimLeft(v, "."), "~")
	if !strings.HasPrefix(v, "/") || strings.Count(v, "/") < 2 {
		return false
	}
	return run(v, 0, func(c byte) bool { return isLower(c) || isDigit(c) || strings.IndexByte("/._-", c) >= 0 }) == len(v)
}
