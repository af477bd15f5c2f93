package filter

import (
	"regexp"
	"strings"

	"cbc-otel/filter/secrets"
)

// Rules are compiled rules. They do not change, and may be used by several goroutines at once.
type Rules struct {
	names       []string // of the rules, by id: what Hits lists
	keyPatterns []keyPattern

	drop       []dropRule
	attributes []attributeRule
	redaction  redaction
	secrets    *secrets.Patterns // nil: off
	secretsID  int

	// onSpan is called before a span is worked on; tests make it panic.
	onSpan func()
}

// keyPattern is a pattern on keys. Keys are few and come again with every span, so each pattern is tried
// once for each of them in a tree.
type keyPattern struct {
	re   *regexp.Regexp
	expr string
}

// Compile compiles the configuration, or says everything that is wrong with it: each error is an [*Error]
// that names its key.
func Compile(config Config) (*Rules, []error) {
	c := &compiler{rules: &Rules{}, seen: map[string]bool{}}
	for i, d := range config.Drop {
		c.drop(index("drop", i), d)
	}
	for i, a := range config.Attributes {
		c.attributeRule(index("attributes", i), a)
	}
	c.redaction(config.Redaction)
	for _, v := range c.values {
		c.credential(v.key, v.value)
	}
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	return c.rules, nil
}

// compiler is the state of Compile.
type compiler struct {
	problems
	rules  *Rules
	seen   map[string]bool // names of rules
	values []keyedValue    // that rules put on spans
}

// keyedValue is a value with the path of its key in the configuration.
type keyedValue struct {
	key   string
	value any
}

// id gives a rule its number and checks its name; path is what it is called without one.
func (c *compiler) id(path, name string) int {
	if name == "" {
		name = path
	} else if c.seen[name] {
		c.add(path+".name", "another rule has this name")
	}
	c.seen[name] = true
	c.rules.names = append(c.rules.names, name)
	return len(c.rules.names) - 1
}

// keyPattern compiles a pattern on keys and returns its number, or -1.
func (c *compiler) keyPattern(key, expr string) int {
	re := c.pattern(key, expr)
	if re == nil {
		return -1
	}
	c.rules.keyPatterns = append(c.rules.keyPatterns, keyPattern{re, expr})
	return len(c.rules.keyPatterns) - 1
}

// attributeRule compiles an entry of attributes.
func (c *compiler) attributeRule(key string, r AttributeRule) {
	out := attributeRule{id: c.id(key, r.Name)}
	if r.Include != nil {
		out.include = c.matcher(key+".include", *r.Include)
	}
	if r.Exclude != nil {
		out.exclude = c.matcher(key+".exclude", *r.Exclude)
	}
	if len(r.Actions) == 0 {
		c.add(key+".actions", "required: at least one")
	}
	for i, a := range r.Actions {
		out.actions = append(out.actions, c.action(index(key+".actions", i), a))
	}
	c.rules.attributes = append(c.rules.attributes, out)
}

// drop compiles an entry of drop.
func (c *compiler) drop(key string, d DropRule) {
	if d.MatchType == "" {
		d.MatchType = "strict"
	}
	c.rules.drop = append(c.rules.drop, dropRule{
		id:      c.id(key, d.Name),
		matcher: c.matcher(key, Match{d.MatchType, d.Spans, d.SpanNames, d.Attributes}),
	})
}

// credential refuses a value that would put a secret on every span.
func (c *compiler) credential(key string, value any) {
	if c.rules.secrets == nil {
		return
	}
	texts := []string{asText(value)}
	if list, isList := value.([]string); isList {
		texts = list
	}
	for _, t := range texts {
		if _, n := c.rules.secrets.Redact(t); n > 0 {
			c.add(key, "looks like a credential, and would leave with every span")
			return
		}
	}
}

// Redact masks the built-in secrets in a text, as [Rules] without any configuration do. It has to see a
// text before the text is cut.
func Redact(s string) string { return secrets.Redact(s) }

// lower folds the names of actions and functions, which the collector takes in any case.
func lower(s string) string { return strings.ToLower(s) }
