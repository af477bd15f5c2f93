package process

import "os"

// Environ is the environment as it was given to us. os.Environ leaves out what
// is there twice and what is empty.
func Environ() []string {
	if env, ok := rawEnviron(); ok {
		return env
	}
	return os.Environ()
}
