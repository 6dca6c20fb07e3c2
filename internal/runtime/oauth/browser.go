package oauth

import (
	"errors"
	"os/exec"
	"runtime"
)

// OpenBrowser opens an address, already checked by a [Guard], in the user's browser. The address is a single argument of one
// program: no shell reads it, and as it begins with http it is no option. program is the user's choice, "" for the system's.
func OpenBrowser(program, address string) error {
	if _, err := parseAddress("the page", address); err != nil {
		return err
	}
	args := []string{program, address}
	if program == "" {
		args = browserCommand(runtime.GOOS, address)
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return errors.New("no program to open a browser was found")
	}
	browser := exec.Command(path, args[1:]...)
	if err := browser.Start(); err != nil {
		return errors.New("the browser could not be started")
	}
	return browser.Process.Release() // it outlives us
}

func browserCommand(system, address string) []string {
	switch system {
	case "darwin":
		return []string{"open", address}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	return []string{"xdg-open", address}
}
