package config

import "testing"

// The cases are those of OpenTelemetry's configuration data model, and some more.
func TestSubstitute(t *testing.T) {
	t.Parallel()
	getenv := env("STRING_VALUE=value", "BOOL_VALUE=true", "INT_VALUE=1", "FLOAT_VALUE=1.1", "HEX_VALUE=0xdeadbeef",
		"INVALID_MAP_VALUE=value\nkey:value", "REPLACE_ME=${DO_NOT_REPLACE_ME}", "DO_NOT_REPLACE_ME=never", "VALUE_WITH_ESCAPE=value$$")
	for _, tt := range []struct {
		in    string
		want  any
		shown string
	}{
		{"${STRING_VALUE}", "value", "${env:STRING_VALUE}"},
		{"${BOOL_VALUE}", true, "${env:BOOL_VALUE}"},
		{"${INT_VALUE}", int64(1), "${env:INT_VALUE}"},
		{"${FLOAT_VALUE}", 1.1, "${env:FLOAT_VALUE}"},
		{"${HEX_VALUE}", int64(3735928559), "${env:HEX_VALUE}"},
		{"${env:STRING_VALUE}", "value", "${env:STRING_VALUE}"},
		{"${INVALID_MAP_VALUE}", "value\nkey:value", "${env:INVALID_MAP_VALUE}"},
		{"foo ${STRING_VALUE} ${FLOAT_VALUE}", "foo value 1.1", "foo ${env:STRING_VALUE} ${env:FLOAT_VALUE}"},
		{"${UNDEFINED_KEY}", nil, "${env:UNDEFINED_KEY}"},
		{"${UNDEFINED_KEY:-fallback}", "fallback", "${env:UNDEFINED_KEY}"},
		{"${UNDEFINED_KEY:-12}", int64(12), "${env:UNDEFINED_KEY}"},
		{"${UNDEFINED_KEY:-a:-b}", "a:-b", "${env:UNDEFINED_KEY}"},
		{"${UNDEFINED_KEY:-}", nil, "${env:UNDEFINED_KEY}"},
		{"${REPLACE_ME}", "${DO_NOT_REPLACE_ME}", "${env:REPLACE_ME}"},
		{"${UNDEFINED_KEY:-${STRING_VALUE}}", "${STRING_VALUE}", "${env:UNDEFINED_KEY}}"},
		{"$${STRING_VALUE}", "${STRING_VALUE}", ""},
		{"$$${STRING_VALUE}", "$value", "$${env:STRING_VALUE}"},
		{"$$$${STRING_VALUE}", "$${STRING_VALUE}", ""},
		{"$${STRING_VALUE:-fallback}", "${STRING_VALUE:-fallback}", ""},
		{"$${STRING_VALUE:-${STRING_VALUE}}", "${STRING_VALUE:-value}", "${STRING_VALUE:-${env:STRING_VALUE}}"},
		{"${UNDEFINED_KEY:-$${UNDEFINED_KEY}}", "${UNDEFINED_KEY:-${UNDEFINED_KEY}}", ""},
		{"${VALUE_WITH_ESCAPE}", "value$$", "${env:VALUE_WITH_ESCAPE}"},
		{"a $$ b", "a $ b", ""},
		{"a $ b", "a $ b", ""},
		{"^error$", "^error$", ""},
		{"${unclosed", "${unclosed", ""},
		{"no reference", "no reference", ""},
	} {
		value, shown, problem := substitute(tt.in, getenv)
		n := node{text: value, plain: true}
		if n.value() != tt.want || shown != tt.shown || problem != "" {
			t.Errorf("%s: %#v, shown as %q, problem %q; want %#v, %q", tt.in, n.value(), shown, problem, tt.want, tt.shown)
		}
	}
	for _, in := range []string{"${STRING_VALUE:?error}", "${1API_KEY}", "${API_$KEY}", "${}", "${env:}", "${file:/etc/passwd}", "${a b}", "x ${ENV-} y", "${A:-b\nc}"} {
		if value, _, problem := substitute(in, getenv); problem == "" {
			t.Errorf("%s: accepted as %q", in, value)
		}
	}
}

// A quoted value stays text whatever the variable holds.
func TestSubstituteQuoted(t *testing.T) {
	t.Parallel()
	_, errs := loadText("f.yaml", `content: "${env:YES}"`)
	if want := `f.yaml:1:10: content: "${env:YES}" is not a boolean; allowed: true or false`; errs.Error() != want {
		t.Errorf("got %q, want %q", errs.Error(), want)
	}
}

// Keys are left as they are, and what a variable holds cannot become structure.
func TestSubstituteValuesOnly(t *testing.T) {
	t.Parallel()
	text := "resource_attributes:\n  ${DIGITS}: a\n  b: ${INJECT}\n"
	s, errs := Load(Options{
		Flags:    map[string]string{"config": "f.yaml"},
		Getenv:   env("INJECT=x\nstrict: true"),
		ReadFile: func(string) ([]byte, error) { return []byte(text), nil },
	})
	if len(errs) > 0 || s.Strict || len(s.Resource) != 2 || s.Resource[0].Key != "${DIGITS}" || s.Resource[1].Value != "x\nstrict: true" {
		t.Errorf("strict %v, resource %v, errors %v", s.Strict, s.Resource, errs)
	}
}
