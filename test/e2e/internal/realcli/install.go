// Package realcli installs the real agent CLIs with npm and drives them over standard input and output.
package realcli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// ErrNoNPM says that the packages could not be had.
var ErrNoNPM = errors.New("npm cannot install it (E2E_SKIP_NPM=1 leaves out the tests that need it)")

var installing sync.Mutex

// Install installs npm packages ("name@version", "name@latest") together into a folder of the user's cache and
// returns its node_modules. What is there already is not installed again.
func Install(packages ...string) (string, error) {
	installing.Lock()
	defer installing.Unlock()
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	var exact []string
	for _, p := range packages {
		if name, ok := strings.CutSuffix(p, "@latest"); ok {
			out, err := exec.Command("npm", "view", name, "version").Output()
			if err != nil {
				return "", fmt.Errorf("%s: %w: %w", p, ErrNoNPM, err)
			}
			p = name + "@" + strings.TrimSpace(string(out))
		}
		exact = append(exact, p)
	}
	dir := filepath.Join(cache, "cbc-otel-e2e", strings.NewReplacer("/", "+", "@", "").Replace(strings.Join(exact, "_")))
	done := filepath.Join(dir, "complete")
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(done); err == nil {
		return modules, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true}`), 0o644); err != nil {
		return "", err
	}
	cmd := exec.Command("npm", append([]string{"install", "--no-audit", "--no-fund", "--loglevel=error"}, exact...)...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %w\n%s", strings.Join(exact, " "), ErrNoNPM, err, text)
	}
	return modules, os.WriteFile(done, nil, 0o644)
}
