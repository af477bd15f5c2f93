//go:build mutant_partial_ignored

package exporter

const mutant = "partial_ignored"
