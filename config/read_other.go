//go:build !unix

package config

import "io/fs"

// mayTrust leaves it to the permissions of the folder: the mode says nothing here.
func mayTrust(fs.FileInfo) error { return nil }
