// Package mapping turns the workflow events of an agent CLI's stream into finished spans.
//
// It is a pure state machine: events with times go in, settled span trees come out. It has no
// goroutine, reads no clock and does no I/O.
package mapping
