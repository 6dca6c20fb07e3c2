package wire

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/windows"
)

// ownSession does nothing: there are no process groups that could be ended as a whole.
func ownSession(*exec.Cmd) {}

// terminateGroup does nothing: no signal asks a console program politely. Closing stdin did.
func terminateGroup(*os.Process) {}

// killGroup ends the process with what it started, as far as the system knows the tree: a
// process whose parent has gone is not found any more. taskkill is named by its full path,
// since a search path can lead anywhere.
func killGroup(p *os.Process) {
	if system, err := windows.GetSystemDirectory(); err == nil {
		_ = exec.Command(filepath.Join(system, "taskkill.exe"), "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	}
	_ = p.Kill()
}
