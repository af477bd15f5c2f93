//go:build !mutant_shutdown_result && !mutant_queue_drop && !mutant_partial_ignored && !mutant_retry_all && !mutant_spool_no_lock

package exporter

const mutant = ""
