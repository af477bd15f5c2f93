//go:build linux && !cgo && (amd64 || arm64) && !go1.27

package inherit

import _ "unsafe" // for go:linkname

// The runtime's entry code calls *_cgo_init, if set, before anything else,
// with the kernel's registers and no g. Packages with C code use it to set up
// libc; here it runs record, a few system calls that note what the process
// was given. Programs built with cgo have hook_cgo.go instead.
//
// The file is bound to the Go releases whose entry code was read
// (runtime/asm_*.s, rt0_go); a newer one builds without the hook until
// somebody has read its.

//go:linkname record record
var record byte

//go:linkname _cgo_init _cgo_init
var _cgo_init = &record

// scratch receives a struct sigaction; tls is the first thread's thread-local
// storage on amd64, where a set _cgo_init makes the runtime leave it to us.
var (
	scratch [4]uint64
	tls     [2]uint64
)
