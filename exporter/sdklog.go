package exporter

import (
	"fmt"
	"log"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"google.golang.org/grpc/grpclog"

	"cbc-otel/internal/say"
)

// The SDK, gRPC and net/http log through globals, by default to stderr. All three are pointed at the one here, which
// goes to the logger of the latest pipeline: a program has one.
//
// gRPC wants its logger set before it is used and without a race, so that happens in an init.
func init() { grpclog.SetLoggerV2(grpcLogger{}) }

var (
	libraryLog  libraryLogger
	routeOthers sync.Once
)

func routeLogs(l *say.Logger) {
	if libraryLog.out.Swap(l) != l {
		libraryLog.printed.Store(0)
	}
	routeOthers.Do(func() {
		otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { libraryLog.print("otel", err.Error()) }))
		otel.SetLogger(logr.New(otelSink{}))
		log.SetOutput(stdWriter{})
		log.SetFlags(0)
	})
}

// libraryLogger prints the first few messages of the libraries, at level info: what matters to the user is in the
// report, in our words.
type libraryLogger struct {
	out     atomic.Pointer[say.Logger]
	printed atomic.Int64
}

// maxLibraryLines is how many messages of libraries are printed.
const maxLibraryLines = 20

func (l *libraryLogger) print(from, text string) {
	out := l.out.Load()
	if !out.Enabled(say.Info) {
		return
	}
	switch n := l.printed.Add(1); {
	case n <= maxLibraryLines:
		out.Infof("%s: %s", from, text)
	case n == maxLibraryLines+1:
		out.Infof("%s: further messages are left out", from)
	}
}

// grpcLogger takes gRPC's warnings and errors.
type grpcLogger struct{}

func (grpcLogger) Info(...any)                    {}
func (grpcLogger) Infoln(...any)                  {}
func (grpcLogger) Infof(string, ...any)           {}
func (grpcLogger) Warning(args ...any)            { libraryLog.print("grpc", fmt.Sprint(args...)) }
func (grpcLogger) Warningln(args ...any)          { libraryLog.print("grpc", fmt.Sprintln(args...)) }
func (grpcLogger) Warningf(f string, args ...any) { libraryLog.print("grpc", fmt.Sprintf(f, args...)) }
func (grpcLogger) Error(args ...any)              { libraryLog.print("grpc", fmt.Sprint(args...)) }
func (grpcLogger) Errorln(args ...any)            { libraryLog.print("grpc", fmt.Sprintln(args...)) }
func (grpcLogger) Errorf(f string, args ...any)   { libraryLog.print("grpc", fmt.Sprintf(f, args...)) }
func (grpcLogger) Fatal(args ...any)              { libraryLog.print("grpc", fmt.Sprint(args...)) }
func (grpcLogger) Fatalln(args ...any)            { libraryLog.print("grpc", fmt.Sprintln(args...)) }
func (grpcLogger) Fatalf(f string, args ...any)   { libraryLog.print("grpc", fmt.Sprintf(f, args...)) }
func (grpcLogger) V(int) bool                     { return false }

// otelSink takes the SDK's warnings (V(1)) and errors. Keys, values and error texts are left out: when the SDK cannot
// read OTEL_EXPORTER_OTLP_HEADERS they are the header.
type otelSink struct{}

func (otelSink) Init(logr.RuntimeInfo)               {}
func (otelSink) Enabled(level int) bool              { return level <= 1 }
func (otelSink) Info(_ int, msg string, _ ...any)    { libraryLog.print("otel", msg) }
func (otelSink) Error(_ error, msg string, _ ...any) { libraryLog.print("otel", msg) }
func (s otelSink) WithValues(...any) logr.LogSink    { return s }
func (s otelSink) WithName(string) logr.LogSink      { return s }

// stdWriter takes what goes through package log, as net/http's complaints about servers do.
type stdWriter struct{}

func (stdWriter) Write(p []byte) (int, error) {
	libraryLog.print("log", strings.TrimSpace(string(p)))
	return len(p), nil
}
