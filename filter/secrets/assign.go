package secrets

import "strings"

// class is what the name before a = or : promises.
type class int

const (
	noSecret class = iota
	password       // chosen by people: any value counts
	token          // made by machines: the word also means other things, so the value has to look like one
)

// keywords are the ends of names, without - _ and ., that hold a secret.
var keywords = []struct {
	end string
	class
}{
	{"password", password}, {"passwd", password}, {"passphrase", password}, {"passcode", password}, {"pwd", password},
	{"token", token}, {"secret", token}, {"apikey", token}, {"accesskey", token}, {"accesskeyid", token},
	{"secretkey", token}, {"secretid", token}, {"secretkeybase", token}, {"privatekey", token}, {"authkey", token},
	{"accountkey", token}, {"encryptionkey", token}, {"signingkey", token}, {"sharedkey", token},
	{"masterkey", token}, {"servicekey", token}, {"licensekey", token}, {"sharedaccesssignature", token},
	{"xamzsignature", token}, {"xgoogsignature", token}, {"credential", token}, {"credentials", token},
	{"cookie", token},
}

func keywordTriggers() []string {
	return []string{"pas", "pwd", "sec", "tok", "key", "cre", "sig", "coo", "_au"}
}

// classify tells what a name such as DB_PASSWORD, x-api-key or auth.token holds.
func classify(name string) class {
	var folded [64]byte
	n := 0
	for i := max(0, len(name)-len(folded)); i < len(name); i++ {
		if c := name[i]; isAlnum(c) {
			folded[n] = c | 0x20
			n++
		}
	}
	// A number behind the word counts as part of it: password2.
	for n > 0 && isDigit(folded[n-1]) {
		n--
	}
	word := string(folded[:n])
	for _, k := range keywords {
		if strings.HasSuffix(word, k.end) {
			return k.class
		}
	}
	lower := strings.ToLower(name)
	switch {
	case lower == "pass" || strings.HasSuffix(lower, "_pass") || strings.HasSuffix(lower, "-pass") || strings.HasSuffix(lower, ".pass"):
		return password
	case lower == "sig" || lower == "signature" || strings.HasSuffix(lower, "_auth"):
		return token
	}
	return noSecret
}

// findAssignments finds the values in name=value, name: value, "name":"value" and --name value, where
// the name ends in a word for a secret. References to a value ($TOKEN, process.env.X, f(x)) are none.
func findAssignments(s string, found []part) []part {
	a := assignments{s: s}
	for i := 0; i < len(s); i++ {
		var v part
		switch c := s[i]; {
		case c == '=' || c == ':':
			v = a.assignment(i)
		case c == '-' && strings.HasPrefix(s[i:], "--") && (i == 0 || !isURL64(s[i-1])):
			v = a.flag(i)
		}
		if v.end > v.start {
			found = append(found, v)
			i = v.end - 1
		}
	}
	return found
}

// assignments is a text with the run of it that was looked at last: values may overlap, and a text made for
// it must not cost more than a look at each byte.
type assignments struct {
	s       string
	run     part // no blank in it
	lineEnd int
}

// assignment returns the value behind the = or : at i, if it is a secret.
func (a *assignments) assignment(i int) part {
	s := a.s
	name, spaced := nameBefore(s, i)
	kind := classify(name)
	if kind == noSecret {
		return part{}
	}
	colon := s[i] == ':'
	at := i + 1
	switch {
	case colon && strings.HasPrefix(s[at:], "="): // :=
		return part{} // the = is looked at by itself
	case strings.HasPrefix(s[at:], "="), strings.HasPrefix(s[at:], "//"): // a comparison, a URL
		return part{}
	case strings.HasPrefix(s[at:], ">"): // =>
		at++
	}
	begin := run(s, at, isSpace)
	spaced = spaced || begin > at
	if v, ok := quoted(s, begin); ok {
		return v
	}
	v := a.unquoted(begin)
	switch strings.ToLower(name) {
	case "cookie", "set-cookie": // all of the header
		if end := a.line(begin); strings.Contains(s[begin:min(end, begin+longest)], "=") {
			return part{begin, end}
		}
		return part{}
	case "pass": // a verdict, or a round
		if colon || spaced {
			return part{}
		}
	case "pwd", "oldpwd": // the shell's working directory
		if strings.HasPrefix(s[begin:], "/") || strings.HasPrefix(s[begin:], "~") {
			return part{}
		}
	}
	if isSecretValue(s[v.start:v.end], kind, colon, spaced) {
		return v
	}
	return part{}
}

// flag returns the argument after the flag whose -- is at i, if it is a secret.
func (a *assignments) flag(i int) part {
	s := a.s
	end := run(s, i+2, isURL64)
	kind := classify(s[i+2 : end])
	at := run(s, end, isSpace)
	if kind == noSecret || at == end || at == len(s) || s[at] == '-' {
		return part{}
	}
	if v, ok := quoted(s, at); ok {
		return v
	}
	v := a.unquoted(at)
	if isSecretValue(s[v.start:v.end], kind, false, false) && (kind == password || v.end-v.start >= 6) {
		return v
	}
	return part{}
}

// nameBefore returns the name that ends before the separator at i, and whether blanks stand between.
func nameBefore(s string, i int) (name string, spaced bool) {
	end := i
	if end > 0 && s[end-1] == ':' { // :=
		end--
	}
	for end > 0 && isSpace(s[end-1]) {
		end--
	}
	spaced = end < i
	if end > 0 && isQuote(s[end-1]) {
		end--
		if end > 0 && s[end-1] == '\\' {
			end--
		}
	}
	begin := end
	for begin > 0 && (isURL64(s[begin-1]) || s[begin-1] == '.') {
		begin--
	}
	return s[begin:end], spaced
}
