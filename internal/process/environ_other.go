//go:build !linux

package process

func rawEnviron() ([]string, bool) { return nil, false }
