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
