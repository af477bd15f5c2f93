package exporter_test

import (
	"errors"
	"log"
	"strings"
	"testing"

	"go.opentelemetry.io/otel"
	"google.golang.org/grpc/grpclog"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
	"cbc-otel/internal/say"
)

// Not parallel: what the libraries log goes to the latest pipeline.
func TestLibraryLogs(t *testing.T) {
	o, out := toReceiver(t, "http://"+otlptest.Refused, exporter.ProtocolGRPC)
	o.Log = say.New(out, say.Info)
	p := open(t, o)
	p.Prepare()
	defer p.Close()
	otel.Handle(errors.New("from the SDK\n::error::"))
	grpclog.Warningln("from gRPC")
	log.Printf("from the standard library")
	contains(t, "the log", out.String(), "cbc-otel: otel: from the SDK", "cbc-otel: grpc: from gRPC", "cbc-otel: log: from the standard library")
	for range 100 {
		otel.Handle(errors.New("again"))
	}
	if n := strings.Count(out.String(), "again"); n == 0 || n > 20 {
		t.Errorf("%d lines", n)
	}
	if strings.Count(out.String(), "further messages are left out") != 1 || strings.Contains(out.String(), "\n::") {
		t.Errorf("%s", out)
	}
}
