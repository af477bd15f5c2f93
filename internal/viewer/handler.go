package viewer

import (
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"strconv"
)

func (s *Server) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.headers(w.Header())
		switch {
		case !s.ours(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "This is not an address of cbc-otel view.")
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed, "There is nothing to change here.")
		case r.URL.Path == "/" && r.URL.Query().Has("token"):
			s.enter(w, r)
		case !s.known(r):
			refuse(w, http.StatusForbidden, "The address that cbc-otel view prints opens this page, once. Run cbc-otel view again for another one.")
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Length", strconv.Itoa(len(s.html)))
			_, _ = w.Write(s.html)
		case r.URL.Path == "/events":
			s.events(w, r)
		default:
			refuse(w, http.StatusNotFound, "There is nothing of this name.")
		}
	})
}

// headers are those of every answer. Nothing of this leaves the machine, stays on its disk, or is put into pages of
// others.
func (s *Server) headers(h http.Header) {
	h.Set("Content-Security-Policy", s.policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// ours says whether a request was made to our own address, and not to a name that merely resolves to it.
func (s *Server) ours(host string) bool {
	if host == s.host {
		return true
	}
	name, port, err := net.SplitHostPort(host)
	_, own, _ := net.SplitHostPort(s.host)
	return err == nil && name == "localhost" && port == own
}

// cookie is its name. Cookies do not know ports, and several views may run.
func (s *Server) cookie() string {
	_, port, _ := net.SplitHostPort(s.host)
	return "cbc-otel-" + port
}

// known says whether the request comes from the page we handed out.
func (s *Server) known(r *http.Request) bool {
	// Pages of other ports of this machine share our cookies, but browsers tell that it is them.
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		if r.URL.Path != "/" {
			return false
		}
	}
	c, err := r.Cookie(s.cookie())
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(s.session)) == 1
}

// enter exchanges the token for the cookie. Then the page itself goes on to the address without it: a redirect after
// a link from elsewhere would not carry the cookie.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	if !s.known(r) {
		if r.Method != http.MethodGet || !s.redeem(r.URL.Query().Get("token")) {
			refuse(w, http.StatusForbidden, "This address worked once and was used, or was never right. Run cbc-otel view again for another one.")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>cbc-otel</title></head><body><a href="/">cbc-otel</a></body></html>`)
}

// refuse answers with a sentence of ours; nothing of the request is in it.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}
