package process

import "os"

// Die ends this process as the command ended: with its exit code, or by its
// signal. It does not return.
func (e Exit) Die() {
	if e.Signal != 0 {
		if mutantExit1OnSignal {
			os.Exit(1)
		}
		dieBy(e.Signal)
	}
	os.Exit(e.Code)
}
