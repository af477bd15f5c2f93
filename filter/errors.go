package filter

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Error is something wrong with one key of a [Config]. It never quotes a value, which may have come from
// the environment; the loader shows what the file says.
type Error struct {
	Key string // the path: attributes[0].actions[2].pattern
	Msg string
}

func (e *Error) Error() string { return e.Key + ": " + e.Msg }

// problems collects what is wrong, so that all of it is said at once.
type problems struct{ errs []error }

func (p *problems) add(key, format string, args ...any) {
	p.errs = append(p.errs, &Error{Key: key, Msg: fmt.Sprintf(format, args...)})
}

// pattern compiles a regular expression, or says why it cannot.
func (p *problems) pattern(key, expr string) *regexp.Regexp {
	if expr == "" {
		p.add(key, "an empty pattern would match everything")
		return nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		reason := "bad regular expression"
		var syntaxErr *syntax.Error
		if errors.As(err, &syntaxErr) {
			reason += ": " + syntaxErr.Code.String()
		}
		p.add(key, "%s (the syntax is Go's, RE2)", reason)
	}
	return re
}

// index is the path of an entry of a list.
func index(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }
