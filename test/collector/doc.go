// Package collector compares the filter rules with the processors of the OpenTelemetry Collector they take
// their names and meaning from: the same rules, from the same text, on the same generated spans, must give
// the same result, but for the differences that docs/filtering.md lists, each of which is a test here.
//
// It is a module of its own, as the collector brings a few hundred others. Run it in its folder:
//
//	go test ./...
package collector
