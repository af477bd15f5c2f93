package filter

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"regexp"
	"unicode/utf8"

	"cbc-otel/filter/secrets"
)

// redaction is a compiled [Redaction].
type redaction struct {
	active     bool // something is configured but the secrets
	allowAll   bool
	allowAllID int
	all        bool // redact_all_types
	summary    string

	allowed, ignored  map[string]int // key → id
	ignoredPatterns   []keyRule
	blockedPatterns   []keyRule
	blocked, exempted []valueRule

	mask string
	hash func() hash.Hash // nil: mask
}

// keyRule and valueRule are patterns of a list, each with the id of its hits.
type (
	keyRule   struct{ id, pattern int }
	valueRule struct {
		id int
		re *regexp.Regexp
	}
)

// redaction compiles the block redaction.
func (c *compiler) redaction(r Redaction) {
	out := redaction{
		allowAll: len(r.AllowedKeys) == 0, all: r.RedactAllTypes, mask: r.MaskingString,
		allowed: map[string]int{}, ignored: map[string]int{},
	}
	if r.AllowAllKeys != nil {
		out.allowAll = *r.AllowAllKeys
	}
	if !out.allowAll {
		out.allowAllID = c.id("redaction.allow_all_keys", "")
		if len(r.AllowedKeys) == 0 {
			c.add("redaction.allowed_keys", "required when allow_all_keys is false: no attribute at all would be left")
		}
	}
	c.keys("redaction.allowed_keys", r.AllowedKeys, out.allowed)
	c.keys("redaction.ignored_keys", r.IgnoredKeys, out.ignored)
	out.ignoredPatterns = c.keyRules("redaction.ignored_key_patterns", r.IgnoredKeyPatterns)
	out.blockedPatterns = c.keyRules("redaction.blocked_key_patterns", r.BlockedKeyPatterns)
	out.blocked = c.valueRules("redaction.blocked_values", r.BlockedValues)
	out.exempted = c.valueRules("redaction.allowed_values", r.AllowedValues)
	c.masking(r, &out)
	switch r.Summary {
	case "debug", "info":
		out.summary = r.Summary
	case "silent", "":
	default:
		c.add("redaction.summary", "must be debug, info or silent")
	}
	out.active = !out.allowAll || out.summary != "" ||
		len(out.ignored)+len(out.ignoredPatterns)+len(out.blockedPatterns)+len(out.blocked)+len(out.exempted) > 0
	c.rules.redaction = out
	if r.Secrets == nil || *r.Secrets {
		c.rules.secretsID = c.id("redaction.secrets", "")
		c.rules.secrets = &secrets.Patterns{Mask: out.mask, Emails: r.Emails}
	} else if r.Emails {
		c.add("redaction.emails", "needs secrets")
	}
}

// masking compiles what takes the place of what is masked.
func (c *compiler) masking(r Redaction, out *redaction) {
	least := 0
	switch lower(r.HashFunction) {
	case "":
	case "md5":
		out.hash = md5.New
	case "sha1":
		out.hash = sha1.New
	case "sha3":
		out.hash = func() hash.Hash { return sha3.New256() }
	case "sha256":
		out.hash = sha256.New
	case "hmac-sha256":
		least = 32
		out.hash = func() hash.Hash { return hmac.New(sha256.New, []byte(r.HMACKey)) }
	case "hmac-sha512":
		least = 64
		out.hash = func() hash.Hash { return hmac.New(sha512.New, []byte(r.HMACKey)) }
	default:
		c.add("redaction.hash_function", "must be md5, sha1, sha3, sha256, hmac-sha256 or hmac-sha512")
	}
	switch {
	case least > 0 && r.HMACKey == "":
		c.add("redaction.hmac_key", "required by %s", lower(r.HashFunction))
	case len(r.HMACKey) < least:
		c.add("redaction.hmac_key", "must have at least %d bytes for %s, has %d", least, lower(r.HashFunction), len(r.HMACKey))
	}
	if r.HashFunction != "" && r.MaskingString != "" {
		c.add("redaction.masking_string", "not used with hash_function")
	}
	if !utf8.ValidString(r.MaskingString) {
		c.add("redaction.masking_string", "not valid UTF-8")
	}
	if out.mask == "" {
		out.mask = secrets.DefaultMask
	}
}

func (c *compiler) keys(path string, keys []string, to map[string]int) {
	for i, k := range keys {
		if k == "" {
			c.add(index(path, i), "an empty key")
			continue
		}
		if _, again := to[k]; !again {
			to[k] = c.id(index(path, i), "")
		}
	}
}

func (c *compiler) keyRules(path string, exprs []string) []keyRule {
	var rules []keyRule
	for i, e := range exprs {
		rules = append(rules, keyRule{c.id(index(path, i), ""), c.keyPattern(index(path, i), e)})
	}
	return rules
}

func (c *compiler) valueRules(path string, exprs []string) []valueRule {
	var rules []valueRule
	for i, e := range exprs {
		rules = append(rules, valueRule{c.id(index(path, i), ""), c.pattern(index(path, i), e)})
	}
	return rules
}

// masked is what takes the place of s.
func (r *redaction) masked(s string) string {
	if r.hash == nil {
		return r.mask
	}
	h := r.hash()
	h.Write([]byte(s))
	return hex.EncodeToString(h.Sum(nil))
}
