//go:build mutant_shutdown_result

package exporter

const mutant = "shutdown_result"
