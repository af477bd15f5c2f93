//go:build !mutant_upload_error && !mutant_shutdown_result && !mutant_queue_drop

package exporter

const mutant = ""
