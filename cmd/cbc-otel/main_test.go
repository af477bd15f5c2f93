package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"cbc-otel": main,
		"claude":   main, // the shim form: the same program under another name
		"player":   player,

		"nativecli": nativeCLI,
	})
}

// TestScripts runs the program as its users do; see testdata/script.
func TestScripts(t *testing.T) {
	t.Parallel()
	captures, err := filepath.Abs("../../internal/testdata/captures")
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := filepath.Abs("../../internal/cicontext/testdata")
	if err != nil {
		t.Fatal(err)
	}
	telemetry, err := filepath.Abs("../../internal/native/testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("CAPTURES", captures)
			env.Setenv("JOBS", jobs)
			env.Setenv("NATIVE", telemetry)
			return os.MkdirAll(home, 0o700)
		},
		Cmds: commands(),
	})
}
