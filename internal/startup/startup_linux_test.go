package startup

import (
	"errors"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// Where there are huge pages the start of the heap is in one.
func TestHugeHeap(t *testing.T) {
	needHugePages(t)
	address := uintptr(unsafe.Pointer(first))
	switch err := hugeHeap(address); {
	case errors.Is(err, syscall.EINVAL):
		t.Skip("the kernel is older than 6.1")
	case errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EBUSY):
		t.Skip("the kernel has no huge page to spare: ", err)
	case err != nil:
		t.Fatal(err)
	}
	if hugeIn(t, address, 1) == 0 {
		t.Error("no huge page at the start of the heap")
	}
}

// What is allocated after Reserve is in huge pages.
func TestReserve(t *testing.T) {
	needHugePages(t)
	Reserve(16 << 20)
	runtime.GC()
	b := make([]byte, 8<<20)
	for i := range b {
		b[i] = 1
	}
	if got := hugeIn(t, uintptr(unsafe.Pointer(&b[0])), len(b)); got < 4<<10 {
		t.Errorf("%d kB in huge pages, want at least half of 8 MB", got)
	}
	runtime.KeepAlive(b)
}

func TestText(t *testing.T) {
	for line, want := range map[string][2]uintptr{
		"00400000-00c12000 r-xp 00000000 fe:00 10405866   /bin/x\n": {0x400000, 0xc12000},
		"555555554000-555555556000 r--p 00000000 fe:00 1  /bin/x\n": {},
		"00400000-00c12000 r-x":    {},
		"00c12000-00400000 r-xp 0": {},
		"0-xyz r-xp 0":             {},
		"-00c12000 r-xp 0":         {},
		"400000 r-xp 0":            {},
		"[vsyscall]":               {},
		"":                         {},
	} {
		start, end, ok := text([]byte(line))
		if ok != (want[1] > 0) || ok && want != [2]uintptr{start, end} {
			t.Errorf("%q is text %x to %x, %t", line, start, end, ok)
		}
	}
}

func needHugePages(t *testing.T) {
	t.Helper()
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || strings.Contains(string(mode), "[never]") {
		t.Skip("no huge pages here")
	}
}

// hugeIn is how many kB are in huge pages of the mappings that a part of memory is in.
func hugeIn(t *testing.T, start uintptr, size int) (sum int) {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	const entry = `(?ms)^([0-9a-f]+)-([0-9a-f]+) .*?^AnonHugePages: +([0-9]+) kB`
	for _, m := range regexp.MustCompile(entry).FindAllStringSubmatch(string(smaps), -1) {
		from, _ := strconv.ParseUint(m[1], 16, 64)
		to, _ := strconv.ParseUint(m[2], 16, 64)
		if uint64(start) < to && uint64(start)+uint64(size) > from {
			kB, _ := strconv.Atoi(m[3])
			sum += kB
		}
	}
	return sum
}

// What is not mapped is an error, and no more than that.
func TestHugeHeapUnmapped(t *testing.T) {
	if err := hugeHeap(heapChunk); err == nil {
		t.Error("no error")
	}
}
