//go:build linux && cgo

package inherit

/*
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

static uint64_t ignored, blocked, closed_fds;
static int death_signal;

// Runs before main, and with it before the Go runtime. libc refuses to answer
// for the signals it keeps to itself; those stay unset.
__attribute__((constructor)) static void record(void) {
	struct sigaction action;
	sigset_t mask;
	for (int sig = 1; sig <= 64; sig++) {
		if (sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			ignored |= (uint64_t)1 << (sig - 1);
	}
	if (sigprocmask(SIG_BLOCK, NULL, &mask) == 0) {
		for (int sig = 1; sig <= 64; sig++)
			if (sigismember(&mask, sig) == 1)
				blocked |= (uint64_t)1 << (sig - 1);
	}
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			closed_fds |= (uint64_t)1 << fd;
	prctl(PR_GET_PDEATHSIG, &death_signal);
}

static uint64_t get_ignored(void) { return ignored; }
static uint64_t get_blocked(void) { return blocked; }
static uint64_t get_closed(void) { return closed_fds; }
static int get_death_signal(void) { return death_signal; }
*/
import "C"

func init() {
	state.known = 1
	state.ignored = uint64(C.get_ignored())
	state.blocked = uint64(C.get_blocked())
	state.closed = uint64(C.get_closed())
	state.deathSignal = uint64(C.get_death_signal())
}
