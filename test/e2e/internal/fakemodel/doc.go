// Package fakemodel holds fake model servers, so that real agent CLIs can be run without an account and always
// do the same.
package fakemodel
