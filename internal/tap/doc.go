// Package tap looks at a stream while it is forwarded, and never holds the forwarder up.
//
// The forwarder gives each piece of the stream to [Tap.Write] after it was passed on. Lines that may
// matter are handed over to a worker goroutine, which decodes and maps them and lets grace periods end.
// Nothing waits for the worker: what it has not got to yet is kept, within bounds. Every snapshot of a
// task says all that the ones before it did, so when the worker lags behind, waiting snapshots are
// skipped in favour of newer ones; all other events are kept to the last.
package tap
