package config

import "fmt"

// Source is the kind of place a value comes from, weakest first.
type Source int

const (
	FromDefault  Source = iota
	FromSettings        // derived from another setting
	FromOTel            // OTEL_* and the like
	FromFile
	FromEnv // CBC_OTEL_*
	FromFlag
)

// Origin says where a value comes from.
type Origin struct {
	Source Source
	Key    string // flag, variable, file, or the setting it is derived from
	Line   int    // in the file
	Column int
}

func (o Origin) String() string {
	switch o.Source {
	case FromDefault:
		return "default"
	case FromSettings:
		return "from " + o.Key
	case FromFile:
		return fmt.Sprintf("%s:%d", o.Key, o.Line)
	}
	return o.Key
}
