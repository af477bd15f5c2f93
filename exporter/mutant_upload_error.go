//go:build mutant_upload_error

package exporter

const mutant = "upload_error"
