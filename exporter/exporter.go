// Package exporter brings finished span trees to where they go: OTLP over gRPC or HTTP, a file of OTLP JSON lines,
// a readable tree on a terminal.
//
// A [Pipeline] builds OTLP data of trees through the OpenTelemetry SDK, cuts it into batches and gives every batch
// to every exporter. What became of each span is known: exported, spooled, not sampled or lost, with the reason.
// A new exporter is one file with a type that has the methods of [Exporter], and one line in [backends].
package exporter

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Exporter delivers batches to one place.
type Exporter interface {
	// Export delivers a batch before ctx ends. An exporter whose backend is parallel gets several at once.
	Export(ctx context.Context, b *Batch) Outcome
	// Close gives back what the exporter holds. No Export runs or follows.
	Close(ctx context.Context) error
}

// backend is a kind of exporter.
type backend struct {
	name string
	help string
	// check finds what cannot work before the command starts; it has no side effects.
	check func(*Options, *settings) error
	// open is called when there is something to export.
	open func(*Options, settings) (Exporter, error)
	// remote: batches are sent in parallel and until shortly before the flush ends, and what could not be sent is
	// spooled. Else they are written one after the other.
	remote bool
}

// backends is the list of exporters there are. "none" stands for no exporter at all and has no line here.
func backends() []backend {
	return []backend{
		{name: "otlp", help: "OTLP over gRPC or HTTP", check: checkOTLP, open: openOTLP, remote: true},
		{name: "file", help: "OTLP JSON lines, in the local store or the file given", check: checkFile, open: openFile},
		{name: "console", help: "a readable tree on stderr", check: checkConsole, open: openConsole},
	}
}

// None is the name of no exporter.
const None = "none"

// Names lists what [Options].Exporters can hold.
func Names() []string {
	var names []string
	for _, b := range backends() {
		names = append(names, b.name)
	}
	return append(names, None)
}

// selected returns the backends of a list of names.
func selected(names []string) ([]backend, error) {
	var chosen []backend
	for _, name := range names {
		if name == None {
			if len(names) > 1 {
				return nil, fmt.Errorf("exporter: %s cannot be combined with others", None)
			}
			return nil, nil
		}
		i := slices.IndexFunc(backends(), func(b backend) bool { return b.name == name })
		if i < 0 {
			return nil, fmt.Errorf("exporter: there is no %q; use %s", name, strings.Join(Names(), ", "))
		}
		if !slices.ContainsFunc(chosen, func(b backend) bool { return b.name == name }) {
			chosen = append(chosen, backends()[i])
		}
	}
	return chosen, nil
}
