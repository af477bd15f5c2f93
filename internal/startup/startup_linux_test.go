package startup

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// Where there are huge pages the start of the heap is in one.
func TestHugeHeap(t *testing.T) {
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || strings.Contains(string(mode), "[never]") {
		t.Skip("no huge pages here")
	}
	address := uintptr(unsafe.Pointer(first))
	switch err := hugeHeap(address); {
	case errors.Is(err, syscall.EINVAL):
		t.Skip("the kernel is older than 6.1")
	case errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EBUSY):
		t.Skip("the kernel has no huge page to spare: ", err)
	case err != nil:
		t.Fatal(err)
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	if size := hugeAt(t, string(smaps), address); size == 0 {
		t.Error("no huge page at the start of the heap")
	}
}

// hugeAt is how many kB are in huge pages of the mapping that address is in.
func hugeAt(t *testing.T, smaps string, address uintptr) int {
	t.Helper()
	const entry = `(?ms)^([0-9a-f]+)-([0-9a-f]+) .*?^AnonHugePages: +([0-9]+) kB`
	for _, m := range regexp.MustCompile(entry).FindAllStringSubmatch(smaps, -1) {
		from, _ := strconv.ParseUint(m[1], 16, 64)
		to, _ := strconv.ParseUint(m[2], 16, 64)
		if uint64(address) >= from && uint64(address) < to {
			size, _ := strconv.Atoi(m[3])
			return size
		}
	}
	t.Fatalf("%x is in no mapping", address)
	return 0
}

// What is not mapped is an error, and no more than that.
func TestHugeHeapUnmapped(t *testing.T) {
	if err := hugeHeap(heapChunk); err == nil {
		t.Error("no error")
	}
}
