package startup

import (
	"strconv"
	"syscall"
	"unsafe"
)

const (
	// heapChunk is how much the runtime adds to its heap at a time, aligned to it (runtime/mpagealloc.go,
	// pallocChunkBytes). The first chunk is all that a start needs.
	heapChunk = 4 << 20
	// hugePage is the size of one where pages have 4 kB. Where they are larger the kernel refuses this size.
	hugePage = 2 << 20
	// stackDepth is more than the initialisers and the wiring need.
	stackDepth = 48 << 10

	madvHugePage     = 14 // Linux 2.6.38
	madvPopulateRead = 22 // Linux 5.14
	madvCollapse     = 25 // Linux 6.1
)

// first is on the heap.
var first = new([64]byte)

func init() {
	hugeHeap(uintptr(unsafe.Pointer(first)))
	populateText()
	growStack(0)
}

// hugeHeap asks for huge pages under the part of the heap that address is in. It is advice: a kernel without
// them, or where they are turned off, goes on as before.
func hugeHeap(address uintptr) (err error) {
	if err := madvise(address, heapChunk, madvHugePage); err != nil {
		return err
	}
	// What is around address has been touched already, so it is in small pages. The kernel refuses for the moment
	// while another thread touches more.
	for range 3 {
		if err = madvise(address, hugePage, madvCollapse); err != syscall.EAGAIN {
			break
		}
	}
	return err
}

// madvise gives advice on the size bytes, aligned to their size, that address is in.
func madvise(address, size uintptr, advice int) error {
	if _, _, err := syscall.Syscall(syscall.SYS_MADVISE, address&^(size-1), size, uintptr(advice)); err != 0 {
		return err
	}
	return nil
}

// populateText maps all of the program's text: the initialisers go through most of it, and each fault would map 64 kB.
func populateText() {
	fd, err := syscall.Open("/proc/self/maps", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(fd)
	var line [64]byte
	n, err := syscall.Read(fd, line[:])
	if err != nil {
		return
	}
	if start, end, ok := text(line[:n]); ok {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, start, end-start, madvPopulateRead)
	}
}

// text is the mapping that the first line of maps tells of (proc_pid_maps(5)), if it is text.
func text(line []byte) (start, end uintptr, ok bool) {
	dash, space := -1, -1
	for i, c := range line {
		if c == '-' && dash < 0 {
			dash = i
		}
		if c == ' ' {
			space = i
			break
		}
	}
	if dash < 0 || space < dash || len(line) < space+5 || string(line[space+1:space+5]) != "r-xp" {
		return 0, 0, false
	}
	from, err1 := strconv.ParseUint(string(line[:dash]), 16, 64)
	to, err2 := strconv.ParseUint(string(line[dash+1:space]), 16, 64)
	return uintptr(from), uintptr(to), err1 == nil && err2 == nil && from < to
}

// growStack has the stack of the first goroutine grow at once, while there are few frames to move.
//
//go:noinline
func growStack(n int) byte {
	var frame [stackDepth]byte
	return frame[n]
}

// Reserve has the heap grow by size bytes of address space that will lie in huge pages. They are free for use after the
// next garbage collection, and take no memory until they are used.
func Reserve(size int) {
	region := make([]byte, size) // fresh from the system, so nothing is written to it
	start := uintptr(unsafe.Pointer(unsafe.SliceData(region)))
	for at := start + hugePage - 1; at+hugePage <= start+uintptr(size); at += hugePage {
		if madvise(at, hugePage, madvHugePage) != nil {
			return
		}
	}
}
