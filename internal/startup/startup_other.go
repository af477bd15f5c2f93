//go:build !linux

package startup

// Reserve does nothing: there is no advice to give.
func Reserve(int) {}
