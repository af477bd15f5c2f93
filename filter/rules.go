// Package filter decides what of a finished span tree may leave: attribute rules, redaction, dropped
// spans and the built-in patterns of well-known secrets.
//
// The rules have the names and the meaning of the OpenTelemetry Collector's attributes and redaction
// processors; docs/filtering.md lists where and why they differ. Everything is pure: no I/O, no clock.
package filter

// Config is what the file says about filtering. The zero value is the default: nothing is changed but
// well-known secrets, which are masked.
//
// Every field belongs to the YAML key of its name in snake case; [Compile] names keys by their path,
// as in attributes[0].actions[2].pattern, so that the loader can add the line and column.
// Lists count from 0.
type Config struct {
	Attributes []AttributeRule // attributes: applied in this order
	Redaction  Redaction       // redaction: applied after the attribute rules
	Drop       []DropRule      // drop: decided before anything is changed
}

// AttributeRule is one entry of attributes: what to do with the attributes of the spans it matches.
type AttributeRule struct {
	Name    string // shown with the hits; empty: its path, as in attributes[0]
	Include *Match // nil: every span
	Exclude *Match // nil: none
	Actions []Action
}

// Match selects spans. Every list that is given must agree; one of Spans, SpanNames and Attributes has to be.
type Match struct {
	MatchType  string           // strict or regexp; required
	Spans      []string         // workflow, phase, agent, session, request, tool, native: one of them
	SpanNames  []string         // one of them
	Attributes []AttributeMatch // all of them
}

// AttributeMatch is true of a span that has the attribute, with the value if one is given.
type AttributeMatch struct {
	Key   string
	Value any // nil, string, int64, float64, bool or []string; with match type regexp a pattern
}

// Action changes one attribute, or those whose key matches Pattern.
type Action struct {
	Action        string // insert, update, upsert, delete, hash, extract, convert; required
	Key           string
	Value         any    // nil, string, int64, float64, bool or []string
	FromAttribute string // insert, update, upsert: instead of Value
	DefaultValue  any    // insert, update, upsert: when FromAttribute is absent; types as Value
	Pattern       string // delete, hash: matches keys; extract: matches the value, with named groups
	ConvertedType string // convert: int, double, string
}

// Redaction is the block redaction, in the words of the collector's redaction processor.
type Redaction struct {
	// AllowAllKeys false lets only AllowedKeys, IgnoredKeys and what IgnoredKeyPatterns match survive.
	// Absent: true if AllowedKeys is empty, else false.
	AllowAllKeys       *bool
	AllowedKeys        []string
	IgnoredKeys        []string // survive, and their values are not looked at
	IgnoredKeyPatterns []string
	BlockedKeyPatterns []string // values of these keys are masked whole
	BlockedValues      []string // the part that matches is masked
	AllowedValues      []string // values that match are not masked by BlockedValues
	RedactAllTypes     bool     // look at numbers and booleans, too
	HashFunction       string   // md5, sha1, sha3, sha256, hmac-sha256, hmac-sha512; empty: MaskingString
	HMACKey            string   // required by the hmac functions, of 32 bytes (sha256) or 64 (sha512) at least
	MaskingString      string   // empty: ****; not together with HashFunction
	Summary            string   // debug, info, silent; empty: silent

	Secrets *bool // the built-in patterns; absent: true
	Emails  bool  // e-mail addresses count as secrets
}

// DropRule is one entry of drop: spans that do not leave, with all below them. A match of a workflow's
// root drops its whole tree.
type DropRule struct {
	Name       string // shown with the hits; empty: its path, as in drop[0]
	MatchType  string // strict (also when empty) or regexp
	Spans      []string
	SpanNames  []string
	Attributes []AttributeMatch
}
