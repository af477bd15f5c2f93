//go:build !cgo && !go1.27

#include "textflag.h"

#define SYS_fcntl		25
#define SYS_rt_sigaction	134
#define SYS_rt_sigprocmask	135
#define SYS_prctl		167
#define PR_GET_PDEATHSIG	2
#define F_GETFD			1

// record notes the ignored signals, the signal mask, the closed standard
// descriptors and the death signal. Called with the C calling convention before the runtime
// exists: no stack is used, no callee-saved register is touched. Thread-local
// storage is not used on arm64 without cgo.
TEXT record(SB), NOSPLIT|NOFRAME, $0
	MOVD	$1, R9	// signal
	MOVD	$0, R10	// ignored signals
	MOVD	$1, R11
signal:
	MOVD	R9, R0
	MOVD	$0, R1
	MOVD	$·scratch(SB), R2
	MOVD	$8, R3
	MOVD	$SYS_rt_sigaction, R8
	SVC
	CBNZ	R0, nextsignal
	MOVD	·scratch(SB), R12
	CMP	$1, R12 // SIG_IGN
	BNE	nextsignal
	SUB	$1, R9, R12
	LSL	R12, R11, R12
	ORR	R12, R10, R10
nextsignal:
	ADD	$1, R9, R9
	CMP	$64, R9
	BLE	signal
	MOVD	$·state(SB), R13
	MOVD	R10, 8(R13)

	MOVD	$0, R0
	MOVD	$0, R1
	ADD	$16, R13, R2
	MOVD	$8, R3
	MOVD	$SYS_rt_sigprocmask, R8
	SVC

	MOVD	$0, R9	// descriptor
	MOVD	$0, R10	// closed descriptors
descriptor:
	MOVD	R9, R0
	MOVD	$F_GETFD, R1
	MOVD	$SYS_fcntl, R8
	SVC
	TBZ	$63, R0, nextdescriptor
	LSL	R9, R11, R12
	ORR	R12, R10, R10
nextdescriptor:
	ADD	$1, R9, R9
	CMP	$3, R9
	BLT	descriptor
	MOVD	R10, 24(R13)

	MOVD	$PR_GET_PDEATHSIG, R0
	ADD	$32, R13, R1
	MOVD	$SYS_prctl, R8
	SVC
	MOVD	R11, (R13)
	RET
