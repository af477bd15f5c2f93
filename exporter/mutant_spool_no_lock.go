//go:build mutant_spool_no_lock

package exporter

const mutant = "spool_no_lock"
