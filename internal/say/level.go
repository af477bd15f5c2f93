package say

// Level orders messages by how much they matter.
type Level int

const (
	Debug Level = iota
	Info
	Warn
	Error
)

// Levels are the names of the levels, in order.
func Levels() []string { return []string{"debug", "info", "warn", "error"} }

// ParseLevel returns the level of one of the names of [Levels].
func ParseLevel(name string) (Level, bool) {
	for i, n := range Levels() {
		if n == name {
			return Level(i), true
		}
	}
	return Warn, false
}

func (l Level) String() string {
	if l < Debug || l > Error {
		return "?"
	}
	return Levels()[l]
}

// label stands between prefix and text. An info line is the ordinary case and has none.
func (l Level) label() string {
	switch l {
	case Debug:
		return "debug: "
	case Warn:
		return "warning: "
	case Error:
		return "error: "
	}
	return ""
}
