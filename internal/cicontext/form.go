package cicontext

import (
	"net/url"
	"path"
	"strings"
)

func (f Form) apply(text string) string {
	switch f {
	case URL:
		return address(text)
	case Repo:
		return repository(text)
	case Provider:
		u, err := url.Parse(repository(text))
		if err != nil {
			return ""
		}
		return providers[u.Hostname()]
	case Owner:
		if dir := path.Dir(repositoryPath(text)); dir != "." {
			return dir
		}
		return ""
	case Last:
		if base := path.Base(repositoryPath(text)); base != "." && base != "/" {
			return base
		}
		return ""
	case Ref:
		return reference().ReplaceAllString(text, "")
	case RefType:
		return refType(text)
	case Number:
		if strings.HasPrefix(text, "refs/heads/") || strings.HasPrefix(text, "refs/tags/") {
			return "" // may be called anything
		}
		if m := number().FindStringSubmatch(text); m != nil {
			return m[1]
		}
		return ""
	case TaskType:
		if text == "build" || text == "test" || text == "deploy" {
			return text
		}
		return ""
	}
	return text
}

var (
	reference = lazily(`^(refs/(heads|tags)/|origin/)`)
	number    = lazily(`(?:^|/pull/|/pulls/|/pull-requests/|/merge_requests/)(\d+)(?:/.*)?$`)
	scp       = lazily(`^(?:[^@/:\s]+@)?([A-Za-z0-9.-]+):([^/\s:].*)$`) // git's user@host:path
)

// providers are the values of vcs.provider.name by host. (An installation of one's own tells nothing by its name.)
var providers = map[string]string{
	"github.com":    "github",
	"gitlab.com":    "gitlab",
	"bitbucket.org": "bitbucket",
	"gitea.com":     "gitea",
	"cnb.cool":      "cnb",
}

func refType(text string) string {
	switch {
	case text == "tag" || text == "true" || strings.HasPrefix(text, "refs/tags/"):
		return "tag"
	case text == "branch" || strings.HasPrefix(text, "refs/heads/"):
		return "branch"
	}
	return ""
}

// address returns a URL of http or https without its user, or "".
func address(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	u.User = nil
	if strings.Contains(u.Path, "@") {
		return "" // something of the user may have got there
	}
	return u.String()
}

// repository returns the address of a repository as people open it: without user, query and ".git". What git
// reaches by SSH has the same path on the web, unless it has a port of its own.
func repository(text string) string {
	if m := scp().FindStringSubmatch(text); m != nil && !strings.Contains(text, "://") {
		text = "https://" + m[1] + "/" + m[2]
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || strings.Contains(u.Path, "@") {
		return ""
	}
	switch u.Scheme {
	case "http", "https":
	case "ssh", "git":
		if u.Port() == "" {
			u.Scheme = "https"
		}
	default:
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return strings.TrimSuffix(strings.TrimRight(u.String(), "/"), ".git")
}

// repositoryPath returns the path of an address, or the text itself if it is no more than a path.
func repositoryPath(text string) string {
	if !strings.ContainsAny(text, ":@") {
		return strings.Trim(strings.TrimSuffix(text, ".git"), "/")
	}
	u, err := url.Parse(repository(text))
	if err != nil {
		return ""
	}
	return strings.Trim(u.Path, "/")
}
