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
	for i := range len(s) {
		switch c := s[i]; {
		case c == '=' || c == ':':
			found = findAssignment(s, i, found)
		case c == '-' && strings.HasPrefix(s[i:], "--") && (i == 0 || !isURL64(s[i-1])):
			found = findFlag(s, i, found)
		}
	}
	return found
}

// findAssignment looks at the = or : at i.
func findAssignment(s string, i int, found []part) []part {
	name, spaced := nameBefore(s, i)
	kind := classify(name)
	if kind == noSecret {
		return found
	}
	colon := s[i] == ':'
	at := i + 1
	switch {
	case colon && strings.HasPrefix(s[at:], "="): // :=
		return found // the = is looked at by itself
	case strings.HasPrefix(s[at:], "="), strings.HasPrefix(s[at:], "//"): // a comparison, a URL
		return found
	case strings.HasPrefix(s[at:], ">"): // =>
		at++
	}
	value := run(s, at, isSpace)
	spaced = spaced || value > at
	begin := closeQuote(s, value)
	if begin > value {
		end := quotedEnd(s, begin, s[value:begin])
		if v := s[begin:end]; v != "" && !isReference(v) && !isStopWord(v) {
			found = append(found, part{begin, end})
		}
		return found
	}
	end := unquotedEnd(s, begin)
	switch lower := strings.ToLower(name); {
	case lower == "cookie" || lower == "set-cookie": // all of the header
		end = run(s, begin, func(c byte) bool { return c != '\n' && c != '\r' && c != '\\' && !isQuote(c) })
		spaced = false
		if !strings.Contains(s[begin:end], "=") {
			return found
		}
	case lower == "pass" && (colon || spaced): // a verdict, or a round
		return found
	case lower == "pwd" || lower == "oldpwd": // the shell's working directory
		if strings.HasPrefix(s[begin:end], "/") || strings.HasPrefix(s[begin:end], "~") {
			return found
		}
	}
	if isSecretValue(s[begin:end], kind, colon, spaced) {
		found = append(found, part{begin, end})
	}
	return found
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

// findFlag looks at the -- at i, for a flag whose value is the next argument.
func findFlag(s string, i int, found []part) []part {
	end := run(s, i+2, isURL64)
	kind := classify(s[i+2 : end])
	at := run(s, end, isSpace)
	if kind == noSecret || at == end || at == len(s) || s[at] == '-' {
		return found
	}
	begin := closeQuote(s, at)
	if begin > at {
		end = quotedEnd(s, begin, s[at:begin])
	} else {
		end = unquotedEnd(s, begin)
	}
	if v := s[begin:end]; v != "" && !isReference(v) && !isStopWord(v) && (kind == password || len(v) >= 6) && !isPath(v) {
		found = append(found, part{begin, end})
	}
	return found
}

// quotedEnd returns where the quote that was opened before begin is closed, or the end of the text.
func quotedEnd(s string, begin int, quote string) int {
	for at := begin; at < len(s); at++ {
		if strings.HasPrefix(s[at:], quote) {
			return at
		}
		if s[at] == '\\' && len(quote) == 1 {
			at++
		}
	}
	return len(s)
}

// unquotedEnd returns the end of a value without quotes: at a blank, a quote, & or ;, or at a comma that
// is followed by the next name. Closing brackets and punctuation at its end are not part of it.
func unquotedEnd(s string, begin int) int {
	end := begin
	for end < len(s) && !isSpace(s[end]) && !isQuote(s[end]) && s[end] != '&' && s[end] != ';' && s[end] != '\\' {
		if s[end] == ',' {
			next := run(s, end+1, isURL64)
			if next < len(s) && (s[next] == '=' || s[next] == ':') || next == end+1 {
				break
			}
		}
		if strings.HasPrefix(s[end:], "…") {
			break
		}
		end++
	}
	for end > begin && strings.IndexByte(",.)}]>!?:", s[end-1]) >= 0 {
		end--
	}
	return end
}

// isSecretValue judges a value without quotes.
func isSecretValue(v string, kind class, colon, spaced bool) bool {
	if v == "" || isReference(v) || isStopWord(v) || isCall(v) || isHexNumber(v) {
		return false
	}
	if (colon || spaced) && isCode(v, kind) {
		return false
	}
	number := run(v, 0, isDigit) == len(v)
	if kind == password {
		return len(v) >= 4 || !colon && !spaced
	}
	if isPath(v) || number && len(v) < 16 {
		return false
	}
	if colon || spaced {
		return credentialLike(v)
	}
	return len(v) >= 4
}
