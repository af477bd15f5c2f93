package config

import (
	"path/filepath"
	"runtime"
)

// folder is the program's own below the user's folders.
const folder = "cbc-otel"

// DefaultFile returns where the configuration file is looked for when none is named, or "". It is never
// below the working directory: a repository that was checked out must not say where telemetry goes.
func DefaultFile(getenv func(string) string) string {
	if dir := userFolder(getenv, "XDG_CONFIG_HOME", ".config", "AppData"); dir != "" {
		return filepath.Join(dir, "config.yaml")
	}
	return ""
}

// stateFolder returns where the program keeps what it has to remember, or "" without a home.
func stateFolder(getenv func(string) string) string {
	return userFolder(getenv, "XDG_STATE_HOME", filepath.Join(".local", "state"), "LocalAppData")
}

// userFolder follows the XDG base directory specification: paths that are not absolute are ignored.
func userFolder(getenv func(string) string, variable, belowHome, windows string) string {
	if dir := getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, folder)
	}
	if runtime.GOOS == "windows" {
		if dir := getenv(windows); filepath.IsAbs(dir) {
			return filepath.Join(dir, folder)
		}
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, belowHome, folder)
	}
	return ""
}
