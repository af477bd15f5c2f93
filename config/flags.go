package config

import (
	"strings"

	"github.com/spf13/pflag"
)

// Register adds the flag of every setting that has one. The flags take any value: it is [Load] that checks
// them, together with everything else.
func Register(flags *pflag.FlagSet) {
	for i := range table {
		set := &table[i]
		if set.Flag == "" {
			continue
		}
		value := &flagValue{text: set.Default, kind: set.placeholder()}
		f := flags.VarPF(value, set.Flag, "", set.usage())
		if _, ok := set.kind.(boolean); ok {
			f.NoOptDefVal, value.kind = "true", "bool"
		}
	}
}

// placeholder stands for the value of the flag in help; a switch has none.
func (s *Setting) placeholder() string {
	if k, ok := s.kind.(choice); ok && s.Placeholder == "" {
		return strings.Join(k, "|")
	}
	return s.Placeholder
}

// usage is the help of the flag.
func (s *Setting) usage() string { return s.Help + " [" + s.Env + "]" }

// Given returns the values of the flags that were given, for [Options].
func Given(flags *pflag.FlagSet) map[string]string {
	given := make(map[string]string)
	flags.Visit(func(f *pflag.Flag) {
		if _, ok := f.Value.(*flagValue); ok {
			given[f.Name] = f.Value.String()
		}
	})
	return given
}

// flagValue keeps the text of a flag.
type flagValue struct{ text, kind string }

func (v *flagValue) String() string     { return v.text }
func (v *flagValue) Set(s string) error { v.text = s; return nil }
func (v *flagValue) Type() string       { return v.kind }

// Words returns what can be given for a flag, for completion; nil if anything can.
func Words(flag string) []string {
	for i := range table {
		if table[i].Flag != flag {
			continue
		}
		switch k := table[i].kind.(type) {
		case choice:
			return k
		case choices:
			return k.words
		case boolean:
			return []string{"true", "false"}
		}
	}
	return nil
}
