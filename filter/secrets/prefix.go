package secrets

import (
	"strings"
	"sync"
)

// prefix is a kind of token that its issuer made recognizable by how it begins.
type prefix struct {
	issuer string
	text   string
	class  func(byte) bool // what follows the prefix
	min    int             // how many of those at least
	word   bool            // the prefix is short or common: it counts at the start of a word only
	digit  bool            // what follows must have a digit or letters of both cases
}

// prefixes is a table and no expression, so that a line can be added, read and tested by itself.
var prefixes = []prefix{
	{"Anthropic", "sk-ant-", isURL64, 8, false, false},
	{"OpenAI", "sk-proj-", isURL64, 8, false, true},
	{"OpenAI", "sk-svcacct-", isURL64, 8, false, true},
	{"OpenAI", "sk-admin-", isURL64, 12, false, true},
	{"OpenRouter", "sk-or-v1-", isURL64, 8, false, false},
	{"Langfuse", "sk-lf-", isURL64, 8, false, true},
	{"OpenAI and others", "sk-", isAlnum, 16, true, true},
	{"Groq", "gsk_", isAlnum, 16, true, true},
	{"xAI", "xai-", isAlnum, 16, true, true},
	{"Perplexity", "pplx-", isAlnum, 16, true, true},
	{"Replicate", "r8_", isAlnum, 16, true, true},
	{"Hugging Face", "hf_", isAlnum, 16, true, true},
	{"Hugging Face", "api_org_", isAlnum, 16, true, true},
	{"AWS access key", "AKIA", upper, 16, true, false},
	{"AWS access key", "ASIA", upper, 16, true, false},
	{"AWS access key", "ABIA", upper, 16, true, false},
	{"AWS Bedrock", "ABSK", isAlnum, 32, true, true},
	{"AWS Bedrock", "bedrock-api-key-", isURL64, 16, false, true},
	{"Google API key", "AIza", isURL64, 16, true, true},
	{"Google OAuth", "ya29.", dotted, 16, true, true},
	{"Google OAuth", "GOCSPX-", isURL64, 12, false, false},
	{"Tencent Cloud", "AKID", isAlnum, 16, true, true},
	{"Alibaba Cloud", "LTAI", isAlnum, 12, true, true},
	{"DigitalOcean", "dop_v1_", isAlnum, 16, false, false},
	{"DigitalOcean", "doo_v1_", isAlnum, 16, false, false},
	{"Databricks", "dapi", isHex, 32, true, true},
	{"GitHub", "ghp_", isAlnum, 10, false, false},
	{"GitHub", "gho_", isAlnum, 10, false, false},
	{"GitHub", "ghu_", isAlnum, 10, false, false},
	{"GitHub", "ghs_", dotted, 10, false, false},
	{"GitHub", "ghr_", isAlnum, 10, false, false},
	{"GitHub", "github_pat_", isWord, 10, false, false},
	{"GitLab", "glpat-", dotted, 10, false, false},
	{"GitLab", "gldt-", isURL64, 10, true, true},
	{"GitLab", "glrt-", isURL64, 10, true, true},
	{"GitLab", "glcbt-", isURL64, 10, false, false},
	{"GitLab", "glptt-", isURL64, 10, false, false},
	{"GitLab", "glft-", isURL64, 10, true, true},
	{"GitLab", "glsoat-", isURL64, 10, false, false},
	{"GitLab", "gloas-", isURL64, 10, false, false},
	{"GitLab", "glagent-", isURL64, 10, false, false},
	{"Bitbucket and Atlassian", "ATATT3", padded, 16, true, true},
	{"Bitbucket", "ATBB", isAlnum, 16, true, true},
	{"npm", "npm_", isAlnum, 16, true, true},
	{"PyPI", "pypi-AgE", isURL64, 16, false, false},
	{"RubyGems", "rubygems_", isHex, 16, false, false},
	{"Docker Hub", "dckr_pat_", isURL64, 10, false, false},
	{"Slack", "xoxb-", isURL64, 8, false, false},
	{"Slack", "xoxp-", isURL64, 8, false, false},
	{"Slack", "xoxa-", isURL64, 8, false, false},
	{"Slack", "xoxr-", isURL64, 8, false, false},
	{"Slack", "xoxs-", isURL64, 8, false, false},
	{"Slack", "xoxe-", isURL64, 8, false, false},
	{"Slack", "xoxe.", dotted, 8, false, false},
	{"Slack", "xapp-", isURL64, 10, true, true},
	{"Slack webhook", "hooks.slack.com/services/", path, 8, false, false},
	{"Slack webhook", "hooks.slack.com/workflows/", path, 8, false, false},
	{"Discord webhook", "discord.com/api/webhooks/", path, 8, false, false},
	{"Tencent WeCom webhook", "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", isURL64, 8, false, false},
	{"Stripe", "sk_live_", isAlnum, 8, false, false},
	{"Stripe", "sk_test_", isAlnum, 8, false, true},
	{"Stripe", "rk_live_", isAlnum, 8, false, false},
	{"Stripe", "rk_test_", isAlnum, 8, false, true},
	{"Stripe", "whsec_", isAlnum, 12, false, true},
	{"SendGrid", "SG.", dotted, 32, true, true},
	{"Shopify", "shpat_", isAlnum, 12, false, true},
	{"Shopify", "shpss_", isAlnum, 12, false, true},
	{"Vault", "hvs.", isURL64, 16, true, true},
	{"Vault", "hvb.", isURL64, 16, true, true},
	{"Grafana", "glsa_", isWord, 16, false, true},
	{"Grafana", "glc_", padded, 16, true, true},
	{"New Relic", "NRAK-", upper, 16, true, true},
	{"Sentry", "sntrys_", padded, 16, false, false},
	{"Sentry", "sntryu_", isAlnum, 16, false, false},
	{"Linear", "lin_api_", isAlnum, 16, false, true},
	{"Notion", "ntn_", isAlnum, 16, true, true},
	{"Supabase", "sbp_", isHex, 16, true, true},
	{"Doppler", "dp.pt.", isAlnum, 16, true, true},
	{"Tailscale", "tskey-", isURL64, 12, false, true},
	{"age", "AGE-SECRET-KEY-1", upper, 16, false, false},
}

func upper(c byte) bool  { return isUpper(c) || isDigit(c) }
func dotted(c byte) bool { return isURL64(c) || c == '.' }
func padded(c byte) bool { return isURL64(c) || c == '=' }
func path(c byte) bool   { return isURL64(c) || c == '/' }

// prefixIndex finds the prefixes that begin with three letters.
type prefixIndex struct {
	list  [1 << 15]uint8 // trigram → index in lists, 0 for none
	lists [][]*prefix    // each in the order of the table
}

var byTrigram = sync.OnceValue(func() *prefixIndex {
	index := &prefixIndex{lists: make([][]*prefix, 1)}
	for i := range prefixes {
		p := &prefixes[i]
		t := push(push(push(0, p.text[0]), p.text[1]), p.text[2])
		if index.list[t] == 0 {
			index.list[t] = uint8(len(index.lists))
			index.lists = append(index.lists, nil)
		}
		index.lists[index.list[t]] = append(index.lists[index.list[t]], p)
	}
	return index
})

func prefixTriggers() []string {
	var all []string
	for _, p := range prefixes {
		all = append(all, p.text[:3])
	}
	return all
}

// findPrefixed finds the tokens of the table, from the prefix to their end.
func findPrefixed(s string, found []part) []part {
	index := byTrigram()
	var t uint32
	for i := 0; i < len(s); i++ {
		t = push(t, s[i])
		if i < 2 || index.list[t] == 0 {
			continue
		}
		for _, p := range index.lists[index.list[t]] {
			if end, ok := p.match(s, i-2); ok {
				found = append(found, part{i - 2, end})
				i, t = end-1, 0
				break
			}
		}
	}
	return found
}

// match returns the end of the token that begins at at.
func (p *prefix) match(s string, at int) (end int, ok bool) {
	if !strings.HasPrefix(s[at:], p.text) || p.word && !wordStart(s, at) {
		return 0, false
	}
	begin := at + len(p.text)
	end = run(s, begin, p.class)
	body := s[begin:end]
	least := p.min
	if !p.word && atEnd(s, end) {
		least = 4 // the CLI itself cuts labels and previews: the rest of the token may be gone
	}
	if len(body) < least || p.digit && len(body) < longToken && !hasDigit(body) && !mixedCase(body) {
		return 0, false
	}
	return end, true
}
