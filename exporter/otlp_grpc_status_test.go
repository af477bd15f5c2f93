package exporter

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestGRPCText(t *testing.T) {
	for _, c := range []struct {
		code          codes.Code
		message, want string
	}{
		{codes.PermissionDenied, "not you", "PermissionDenied: not you"},
		{codes.Unauthenticated, "", "Unauthenticated"},
		{codes.Unavailable, "busy", "Unavailable: busy"},
		{codes.Unavailable, `connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:1: connect: connection refused"`, "dial tcp 127.0.0.1:1: connect: connection refused"},
		{codes.Unavailable, `connection error: desc = "transport: authentication handshake failed: tls: \"x\""`, `tls: "x"`},
		{codes.DeadlineExceeded, `latest balancer error: connection error: desc = "timed out"`, "timed out"},
		{codes.Unavailable, `connection error: desc = cut off`, "cut off"},
		{codes.Unavailable, `connection error: desc = "error reading server preface: http2: frame too large"`, "no gRPC in plaintext is spoken there: error reading server preface: http2: frame too large"},
		{codes.Unavailable, "name resolver error: produced zero addresses", "no address found for the name of the host"},
	} {
		if got := grpcText(status.New(c.code, c.message)); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.code, c.message, got, c.want)
		}
	}
}
