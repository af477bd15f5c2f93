package viewer

import (
	"errors"
	"os/exec"
	"runtime"
)

// ErrNoBrowser says that there is no desktop to open a browser on.
var ErrNoBrowser = errors.New("no desktop to open a browser on")

// Browse opens the address in the user's browser. It does not wait for it.
func Browse(address string, getenv func(string) string) error {
	cmd := browser(address, runtime.GOOS, getenv)
	if cmd == nil {
		return ErrNoBrowser
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

func browser(address, system string, getenv func(string) string) *exec.Cmd {
	switch {
	case system == "darwin":
		return exec.Command("open", address)
	case system == "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	case getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "" || getenv("WSL_DISTRO_NAME") != "":
		return exec.Command("xdg-open", address)
	}
	return nil // xdg-open would start a browser in the terminal
}
