//go:build mutant_retry_all

package exporter

const mutant = "retry_all"
