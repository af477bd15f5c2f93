//go:build mutant_queue_drop

package exporter

const mutant = "queue_drop"
