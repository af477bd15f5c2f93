package config

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

func fmtAll(format string, args ...any) string { return fmt.Sprintf(format, args...) }

func TestFlags(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
	flags.Bool("other", false, "")
	Register(flags)
	if err := flags.Parse([]string{"--grace", "soon", "--content", "--strict=no", "--exporter=otlp", "--exporter=file", "--file", "", "--other", "--", "--tap", "never"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"grace": "soon", "content": "true", "strict": "no", "exporter": "file", "file": ""}
	if diff := cmp.Diff(want, Given(flags)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Every name is used once, and follows from the flag's.
func TestTableIsRegular(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range table {
		set := &table[i]
		for _, name := range append([]string{set.Name, "--" + set.Flag, set.Env}, set.OTel...) {
			if seen[name] && name != "" && name != "--" {
				t.Errorf("%s is used twice", name)
			}
			seen[name] = true
		}
		if set.Flag != "" && set.Env != "CBC_OTEL_"+strings.ToUpper(strings.ReplaceAll(set.Flag, "-", "_")) {
			t.Errorf("flag %s, variable %s", set.Flag, set.Env)
		}
		if set.Help == "" || strings.HasSuffix(set.Help, ".") {
			t.Errorf("%s: help %q", set.Name, set.Help)
		}
		if set.Default != "" {
			if _, problem := set.kind.parse(set.Default, ""); problem != "" {
				t.Errorf("%s: default %s", set.Name, problem)
			}
		}
		if _, ok := set.kind.(boolean); set.Flag != "" && (set.placeholder() == "") != ok {
			t.Errorf("%s: placeholder %q", set.Name, set.placeholder())
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
	flags.SortFlags = false
	Register(flags)
	got := flags.FlagUsagesWrapped(100)
	if *update {
		if err := os.WriteFile("testdata/help.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, "testdata/help.txt"), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{"tap": "auto always never", "exporter": "otlp file console none", "strict": "true false", "grace": "", "unknown": ""} {
		if got := strings.Join(Words(flag), " "); got != want {
			t.Errorf("%s: %q, want %q", flag, got, want)
		}
	}
}
