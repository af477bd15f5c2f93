// Package transparency runs commands bare and wrapped and compares what
// whoever started them sees, and what they see themselves.
//
// TestTransparency is one table: a case plays a scene, twice, and the two
// outcomes must be the same. A new case is one entry in a cases_*_test.go
// file. The wrapper is the test binary itself around internal/process, or the
// program that CBC_OTEL_BIN names.
package transparency
