// Package golden holds streams, the span tree that each of them must give, and the tests that compare the two.
//
// testdata/streams has streams that no recorded run shows, testdata/trees the expected trees as text (see package
// spantree), one file a case of the table in cases_test.go. Trees named in handWritten were worked out by hand
// from the rules, line by line; -update leaves those alone.
package golden
