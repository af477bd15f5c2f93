// Package inherit tells what this process was given at its start and what the
// Go runtime has changed since, before any code of ours could look: it
// installs handlers over ignored signals, unblocks some, and opens /dev/null
// on closed standard descriptors. A child that is to start as it would have
// without us needs the state from before.
package inherit

import "syscall"

// state is written once, before the runtime starts (see hook_*.s and
// hook_cgo.go), and only read afterwards. Bit n-1 stands for signal n, bit n
// for descriptor n.
var state struct {
	known       uint64 // 1 once the hook has run
	ignored     uint64 // signals set to SIG_IGN
	blocked     uint64 // signal mask of the first thread
	closed      uint64 // of descriptors 0, 1 and 2
	deathSignal uint64 // of the first thread
}

// Known reports whether the state from before the runtime was recorded. It is
// not on platforms without a hook; Ignored then answers what the runtime left
// untouched, and the others answer "nothing".
func Known() bool { return state.known != 0 }

// Ignored reports whether sig was ignored when the process started.
func Ignored(sig syscall.Signal) bool {
	if !Known() {
		return ignoredNow(sig)
	}
	return sig >= 1 && sig <= 64 && state.ignored>>(sig-1)&1 != 0
}

// Blocked returns the signal mask at the start; bit n-1 stands for signal n.
func Blocked() uint64 { return state.blocked }

// Closed reports whether the descriptor, 0 to 2, was closed at the start. The
// runtime has since opened /dev/null in its place.
func Closed(fd int) bool { return state.closed>>fd&1 != 0 }

// DeathSignal is the signal the process asked for, or its starter for it, when
// its parent dies; 0 is none. It belongs to the first thread, not to those the
// runtime makes.
func DeathSignal() syscall.Signal { return syscall.Signal(state.deathSignal) }
