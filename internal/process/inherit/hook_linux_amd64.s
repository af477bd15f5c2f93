//go:build !cgo && !go1.27

#include "textflag.h"

#define SYS_rt_sigaction	13
#define SYS_rt_sigprocmask	14
#define SYS_fcntl		72
#define SYS_prctl		157
#define SYS_arch_prctl		158
#define ARCH_SET_FS		0x1002
#define PR_GET_PDEATHSIG	2
#define F_GETFD			1

// record notes the ignored signals, the signal mask, the closed standard
// descriptors and the death signal. Called with the C calling convention before the runtime
// exists: no stack is used, no callee-saved register is touched.
TEXT record(SB), NOSPLIT|NOFRAME, $0
	MOVQ	$1, R8	// signal
	XORL	R9, R9	// ignored signals
signal:
	MOVQ	R8, DI
	XORL	SI, SI
	LEAQ	·scratch(SB), DX
	MOVL	$8, R10
	MOVL	$SYS_rt_sigaction, AX
	SYSCALL
	TESTQ	AX, AX
	JNZ	nextsignal
	CMPQ	·scratch(SB), $1 // SIG_IGN
	JNE	nextsignal
	LEAQ	-1(R8), CX
	MOVL	$1, AX
	SHLQ	CX, AX
	ORQ	AX, R9
nextsignal:
	INCQ	R8
	CMPQ	R8, $64
	JLE	signal
	MOVQ	R9, ·state+8(SB)

	XORL	DI, DI
	XORL	SI, SI
	LEAQ	·state+16(SB), DX
	MOVL	$8, R10
	MOVL	$SYS_rt_sigprocmask, AX
	SYSCALL

	XORL	R8, R8	// descriptor
	XORL	R9, R9	// closed descriptors
descriptor:
	MOVQ	R8, DI
	MOVL	$F_GETFD, SI
	MOVL	$SYS_fcntl, AX
	SYSCALL
	TESTQ	AX, AX
	JNS	nextdescriptor
	MOVQ	R8, CX
	MOVL	$1, AX
	SHLQ	CX, AX
	ORQ	AX, R9
nextdescriptor:
	INCQ	R8
	CMPQ	R8, $3
	JLT	descriptor
	MOVQ	R9, ·state+24(SB)

	MOVL	$PR_GET_PDEATHSIG, DI
	LEAQ	·state+32(SB), SI
	MOVL	$SYS_prctl, AX
	SYSCALL
	MOVQ	$1, ·state+0(SB)

	// g lives at -8(FS).
	LEAQ	·tls+8(SB), SI
	MOVL	$ARCH_SET_FS, DI
	MOVL	$SYS_arch_prctl, AX
	SYSCALL
	RET
