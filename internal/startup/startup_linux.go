package startup

import (
	"syscall"
	"unsafe"
)

const (
	// heapChunk is how much the runtime adds to its heap at a time, and aligns to (runtime/mpagealloc.go, pallocChunkBytes). The
	// first chunk is all that a start needs.
	heapChunk = 4 << 20
	// stackDepth is more than the initialisers and the wiring need.
	stackDepth = 48 << 10

	madvHugePage = 14 // Linux 2.6.38
	madvCollapse = 25 // Linux 6.1
)

// first is on the heap.
var first = new([64]byte)

func init() {
	hugeHeap(uintptr(unsafe.Pointer(first)))
	growStack(0)
}

// hugeHeap asks for huge pages under the part of the heap that address is in. It is advice: a kernel without
// them, or where they are turned off, goes on as before.
func hugeHeap(address uintptr) error {
	chunk := address &^ (heapChunk - 1)
	if _, _, err := syscall.Syscall(syscall.SYS_MADVISE, chunk, heapChunk, madvHugePage); err != 0 {
		return err
	}
	// What has been touched already is in small pages.
	if _, _, err := syscall.Syscall(syscall.SYS_MADVISE, chunk, heapChunk, madvCollapse); err != 0 {
		return err
	}
	return nil
}

// growStack has the stack of the first goroutine grow at once, while there are few frames to move.
//
//go:noinline
func growStack(n int) byte {
	var frame [stackDepth]byte
	return frame[n]
}
