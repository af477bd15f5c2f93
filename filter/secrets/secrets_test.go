package secrets

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Tokens in this file are made up, and put together from parts so that no scanner takes them for real.
const (
	alnum36 = "16C7e42F292c6912E7710c838347Ae178B4a"
	header  = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9"
	payload = "eyJzdWIiOiIxMjM0NTY3ODkwIn0"
	jwt     = header + "." + payload + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	pem     = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEowIBAAKCAQEA7bq\n-----END RSA PRIVATE" + " KEY-----"
)

// secretTests are texts with a secret, and what must be left of them.
var secretTests = []struct{ name, in, want string }{
	{"JWT", "token " + jwt + " was sent", "token **** was sent"},
	{"JWT without signature", "x=" + header + "." + payload + ".", "x=****."},
	{"JWT cut in its header", "got eyJhbGciOiJSUzI1NiIs", "got ****"},
	{"JWT with another header", "got eyJ2ZXIiOiIxIiwiYSI6MX0." + payload + ".c2ln", "got ****"},
	{"encrypted JWT", "got eyJhbGciOiJSU0EtT0FFUCJ9.OKOawDo13g.48V1_ALb6US04U3b.5eym8TW_c8SuK.XFBoMYUZo", "got ****"},

	{"Bearer", "Authorization: Bearer mF_9.B5f-4.1JqM", "Authorization: Bearer ****"},
	{"Bearer in prose", "sent bearer abcd1234efgh5678.", "sent bearer ****"},
	{"Bearer escaped", "Bearer%20mF_9.B5f-4.1JqM", "Bearer%20****"},
	{"Basic", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Basic ****"},
	{"Basic cut off", "authorization: basic QWxhZGRpbjpvcGVu", "authorization: basic ****"},
	{"header in JSON", `{"Authorization":"Bearer short-one"}`, `{"Authorization":"Bearer ****"}`},
	{"header in JSON in JSON", `{\"authorization\": \"Token 9944b09199c6\"}`, `{\"authorization\": \"Token ****\"}`},
	{"header with parameters", "Authorization: TC3-HMAC-SHA256 Credential=AKIDz8/cvm, Signature=72e494ea8", "Authorization: TC3-HMAC-SHA256 ****"},
	{"header without scheme", "authorization=c2VjcmV0LXZhbHVlLTEyMw", "authorization=****"},

	{"Anthropic", "key sk-ant-" + "api03-Zm9vYmFy_Zm9-AA here", "key **** here"},
	{"Anthropic cut off", "key sk-ant-" + "api0", "key ****"},
	{"OpenAI", "sk-" + "T3BlbkFJabcd1234efgh5678", "****"},
	{"OpenAI project", "(sk-proj-" + "A1b2C3d4_x-9)", "(****)"},
	{"AWS key id", "id=AKIA" + "IOSFODNN7EXAMPLE;", "id=****;"},
	{"AWS session key id", "ASIA" + "Y34FZKBOKMUTVV7A", "****"},
	{"AWS secret", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY", "aws_secret_access_key = ****"},
	{"Google API key", "key=AIza" + "SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe", "key=****"},
	{"Google OAuth", "ya29." + "a0AfH6SMBx-1234567890abcdef", "****"},
	{"GitHub", "git clone with ghp_" + alnum36, "git clone with ****"},
	{"GitHub fine-grained", "github_pat_" + "11ABCDEFG0aBcDeFgHiJkL_1234", "****"},
	{"GitHub after an escape", `line\nghs_` + alnum36, `line\n****`},
	{"GitLab", "glpat-" + "ABCdef123_-4567890xyz", "****"},
	{"Slack", "xoxb-" + "123456789012-abcdefGHIJ", "****"},
	{"Slack webhook", "https://hooks.slack.com/services/" + "T000/B000/XXXX1234", "https://****"},
	{"npm", "//registry/:_authToken=npm_" + alnum36, "//registry/:_authToken=****"},
	{"Stripe", "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "****"},
	{"Hugging Face", "HF: hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz", "HF: ****"},
	{"Tencent", "AKID" + "z8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE", "****"},
	{"Alibaba", "LTAI" + "5tABCDEFGHJKLMNPQR", "****"},
	{"SendGrid", "SG." + "ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr", "****"},
	{"Vault", "hvs." + "CAESIJ1234567890abcdef", "****"},

	{"PEM", "key:\n" + pem + "\nend", "key:\n****\nend"},
	{"PEM on one line", strings.ReplaceAll(pem, "\n", " "), "****"},
	{"PEM cut off", "-----BEGIN PRIVATE" + " KEY----- MIIEvQIBADANBg", "****"},
	{"PGP", "-----BEGIN PGP PRIVATE" + " KEY BLOCK-----\nlQOYBF\n-----END PGP PRIVATE" + " KEY BLOCK-----.", "****."},

	{"URL", "https://user:pa55@example.com/path?q=1", "https://****@example.com/path?q=1"},
	{"URL with a token", "git+https://x-access-token@github.com/a/b", "git+https://****@github.com/a/b"},
	{"URL with @ in the password", "postgres://app:p@ss@db:5432/x", "postgres://****@db:5432/x"},
	{"URL with / in the password", "postgres://app:pa/ss@db:5432/x", "postgres://****@db:5432/x"},
	{"URL with # in the password", "redis://:pa#ss@cache/0", "redis://****@cache/0"},
	{"two URLs", "ftp://a:b@h1 ftp://c:d@h2", "ftp://****@h1 ftp://****@h2"},

	{"password", "password=hunter2", "password=****"},
	{"password with a comma", "PGPASSWORD=a,b,c psql", "PGPASSWORD=**** psql"},
	{"password in YAML", "db_password: correcthorse", "db_password: ****"},
	{"password in JSON", `{"password":"hun ter2","user":"x"}`, `{"password":"****","user":"x"}`},
	{"password in quotes cut off", `password = "half of i`, `password = "****`},
	{"password with an escaped quote", `"pwd": "a\"b"`, `"pwd": "****"`},
	{"password number", "DB_PASS=1234", "DB_PASS=****"},
	{"password like a variable", "password=$ecret1", "password=****"},
	{"password flag", "mysql --password hunter2 -u x", "mysql --password **** -u x"},
	{"token", "GITHUB_TOKEN=abcdef", "GITHUB_TOKEN=****"},
	{"token in a query", "https://h/cb?access_token=abc123&x=1", "https://h/cb?access_token=****&x=1"},
	{"api key header", "x-api-key: 0a1b2c3d4e", "x-api-key: ****"},
	{"API key", "API_KEY='some thing'", "API_KEY='****'"},
	{"secret", "client_secret=s3cr3t!x, scope=a", "client_secret=****, scope=a"},
	{"Azure connection string", "AccountName=a;AccountKey=Eby8vdM02xNOcqF==;Suffix=x", "AccountName=a;AccountKey=****;Suffix=x"},
	{"signed URL", "https://b/x?X-Amz-Signature=9e8f7a6b&se=1&sig=abc%2Fdef", "https://b/x?X-Amz-Signature=****&se=1&sig=****"},
	{"Go", `apiKey := "some-value"`, `apiKey := "****"`},
	{"password with a bracket", "password: p(ss", "password: ****"},
	{"password that is a word", "password=default", "password=****"},
	{"password with dots", "password: correct.horse", "password: ****"},
	{"password in hex", "password=0xdeadbeef", "password=****"},
	{"secret with a bracket", "client_secret: abc[def~123", "client_secret: ****"},
	{"cookie", "Cookie: a=b1; session=abc", "Cookie: ****"},
	{"pass in JSON", `{"pass":"hunter2"}`, `{"pass":"****"}`},
	{"looks masked but is not", "password=****hunter2", "password=****"},
	{"several", "password=a1b2 and ghp_" + alnum36 + ".", "password=**** and ****."},
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for _, tt := range secretTests {
		if got := Redact(tt.in); got != tt.want {
			t.Errorf("%s:\n  text %q\n  got  %q\n  want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

// nearMisses must stay as they are.
var nearMisses = []string{
	"", "a", "gather: alpha", "invoke_agent gather:alpha",
	// Hashes, ids, times
	"d41d8cd98f00b204e9800998ecf8427e", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
	"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	"550e8400-e29b-41d4-a716-446655440000", "wf_0193b1c2-7f", "msg_01AbCdEfGhIjKlMnOpQrStUv", "toolu_01A09q90qw90lq917835lq9",
	"commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "2026-12-01T21:33:19.784Z",
	// Paths, packages, hosts
	"/var/run/secrets/kubernetes.io/serviceaccount/token", "src/auth/token.go:12:5", "./tokens/secret_test.go",
	"C:\\Users\\me\\password.txt", "node_modules/@babel/core/lib/index.js", "https://packages.example.org/@types/node",
	"https://medium.com/@someone/title", "ssh://git@github.com/a/b", "git@github.com:a/b.git", "http://[::1]:8080/a@b",
	"https://example.com:8443/x?mail=a@example.com", "http://localhost:4318/v1/traces", "npm_config_registry=https://r",
	"npm_lifecycle_event", "hf_hub_download_from_pretrained", "sk-fading-circle-container-with-long-name", "task-runner-abcdefghijklmnop1",
	"AKIDO", "AIzawa", "SG.", "glpat-", "ghp_ is the prefix of a token", "sk-ant-", "xoxb- tokens",
	// Base64 and JSON that is no token
	"eyJhIjoxfQ==", "eyJ0eXBlIjoidGV4dCJ9", "SGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0", "Y29tcHJlc3NlZA==", "{\"eyJ\": 1}",
	// Words that announce a secret, in prose and code
	"bearer authentication", "a bearer token is required", "Basic functionality works", "basic authentication",
	"Basic QmFzaWMgdGV4dA==", "Authorization: required", "the authorization header is missing",
	"max_tokens=4096", "input_tokens: 500", "tokens=1234", "token: 512", "token budget: 20000", "Unexpected token: punc",
	"SyntaxError: Unexpected token } in JSON at position 4", "invalid token: expected string", "secret: string",
	"password: string;", "password is required", "Password: required",
	"cat: /etc/passwd: Permission denied", "passwd: command not found", "password: accepted", "password=$PASSWORD", "password=${DB_PASSWORD}",
	"token=$(cat file)", "token = os.Getenv(\"X\")", "token := parser.next()", "secret: process.env.SECRET", "api_key: <your key>",
	"if token == expected {", "token => token.value", "password=****", "token: null", "primary_key=12345678a", "monkey: banana12",
	"cache_key=abc12345", "keyword=a1b2c3d4", "bypass=a1b2c3d4", "compass: a1b2c3d4", "author=a1b2c3d4", "TOKEN_FILE=/run/secrets/token",
	"token=/run/secrets/token", "--token-file /x/y/z", "http://token:8080/x", "design=a1b2c3d4", "token_type: bearer",
	"--- PASS: TestTokens (0.00s)", "First pass: collect", "PWD=/home/someone/project", "OLDPWD=~/x", "pass=%q", "password := []byte(\"x\")",
	"PrivateKey: testECDSAPrivateKey2", "token = parser.lookahead1.Token", "sig := syscall.SIGINT", "secret := srv2.readSecret[QUICLevel]", "IOC_TOKEN = -0x7f879679",
	"cookie: chocolate", "AccessToken: newAccessToken", "config.PrivateKey = &rsa.PrivateKey{", "DB_PASS = C.DB_PASS",
	// Keys that are public
	"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY----- MIIB", "---- BEGIN of the PRIVATE part",
	"pk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1",
	// Other scripts
	"收集资料：第一阶段", "прочитать файл", "🙂 emoji and \u200d joiner",
	"someone@example.com", // an option
}

func TestRedactNearMisses(t *testing.T) {
	t.Parallel()
	for _, s := range nearMisses {
		if got := Redact(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestRedactEmails(t *testing.T) {
	t.Parallel()
	m := Patterns{Mask: "[mail]", Emails: true}
	for in, want := range map[string]string{
		"from someone@example.com.":                 "from [mail].",
		"Some.One+tag@mail.example.co.uk, x":        "[mail], x",
		"<юзер@пример.рф>":                          "<[mail]>",
		"a@b.de b@c.fr":                             "[mail] [mail]",
		"canary@example.invalid":                    "[mail]",
		"git@github.com:a/b":                        "git@github.com:a/b",
		"@types/node@1.2.3 lodash@4.17.21 a@b @x.y": "@types/node@1.2.3 lodash@4.17.21 a@b @x.y",
	} {
		if got, _ := m.Redact(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// What was redacted and then cut, wherever the cut falls, loses nothing but its end by a second look.
func TestRedactAfterCut(t *testing.T) {
	t.Parallel()
	for _, tt := range secretTests {
		clean := Redact("see " + tt.in + " and more")
		for n := range len(clean) {
			if again := Redact(clean[:n]); !strings.HasPrefix(clean, strings.TrimSuffix(again, DefaultMask)) {
				t.Errorf("%s: %q became %q", tt.name, clean[:n], again)
			}
		}
	}
}

func TestRedactTwice(t *testing.T) {
	t.Parallel()
	for _, mask := range []string{DefaultMask, "[gone]", "REDACTED", "x"} {
		m := Patterns{Mask: mask, Emails: true}
		for _, tt := range secretTests {
			once, n := m.Redact(tt.in)
			if n == 0 {
				t.Errorf("%s: nothing found", tt.name)
			}
			if twice, _ := m.Redact(once); twice != once {
				t.Errorf("%s with mask %q: first %q, then %q", tt.name, mask, once, twice)
			}
		}
	}
}

// A text made for it must not take more than a look at each byte: a megabyte of anything is done at once,
// where quadratic work would take minutes.
func TestLinear(t *testing.T) {
	t.Parallel()
	units := []string{
		"a://", "a://b@", "token=", "token=<", "token:$A=", "cookie=", "cookie:", "Authorization: Digest <", "authorization:Digest ", "bearer+",
		"basic+", "basic ", "sk-proj-", "sk-", "ghp_", "eyJhbGciOi.", "eyJ", "-----BEGIN PRIVATE" + " KEY-----", "password=\"", "password='<", "--token ", "--token x",
		"a@b.", "@", "token='<token=\"<", "secret:[", "secret = f(", "password=,", "token=a.", "pass:", "sig=x,",
	}
	for _, tt := range secretTests {
		units = append(units, tt.in)
	}
	for _, u := range units {
		s := strings.Repeat(u, 1<<20/len(u))
		start := time.Now()
		Patterns{Mask: DefaultMask, Emails: true}.Redact(s)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%d bytes of %q took %v", len(s), u, took)
		}
	}
}

// Every line of the table of prefixes finds its own tokens, and the gate lets each of them through.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	for _, p := range prefixes {
		body := ""
		for i := 0; len(body) < max(p.min, 8); i++ {
			for _, c := range []byte("9aA1bB2cC3dD") {
				if p.class(c) {
					body += string(c)
				}
			}
		}
		if got := Redact("a " + p.text + body + " z"); got != "a **** z" {
			t.Errorf("%s: %s%s became %q", p.issuer, p.text, body, got)
		}
		if s := "a " + p.text + " z"; Redact(s) != s {
			t.Errorf("%s: the prefix %s alone is masked", p.issuer, p.text)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, tt := range secretTests {
		f.Add(tt.in)
	}
	for _, s := range nearMisses {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, m := range []Patterns{{Mask: DefaultMask}, {Mask: DefaultMask, Emails: true}} {
			once, n := m.Redact(s)
			if n == 0 && once != s {
				t.Fatalf("%q became %q without a hit", s, once)
			}
			if utf8.ValidString(s) && !utf8.ValidString(once) {
				t.Fatalf("%q became %q: not UTF-8", s, once)
			}
			if jwt := Redact(s + " " + jwt + " " + s); strings.Contains(jwt, payload) && !strings.Contains(s, payload) {
				t.Fatalf("a token between %q is not masked: %q", s, jwt)
			}
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	for name, s := range map[string]string{
		"label":  "gather: alpha source 17",
		"prose":  strings.Repeat("The agent wrote the report and counted its tokens. ", 20),
		"secret": "Authorization: Bearer mF_9.B5f-4.1JqM",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Redact(s)
			}
		})
	}
}

// The list in the documentation is the table.
func TestPrefixesAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/secrets.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range prefixes {
		mark := ""
		if p.word {
			mark = " ·"
		}
		if !strings.Contains(string(page), "`"+p.text+"`"+mark) {
			t.Errorf("docs/secrets.md has no `%s`%s (%s)", p.text, mark, p.issuer)
		}
	}
}
