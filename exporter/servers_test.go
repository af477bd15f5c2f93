package exporter_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func redirect(t *testing.T, to string) string {
	t.Helper()
	server := httptest.NewServer(http.RedirectHandler(to, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	return server.URL
}

func webPage(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<!doctype html><title>a page</title>"))
	}))
	t.Cleanup(server.Close)
	return server.URL
}
