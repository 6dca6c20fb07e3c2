//go:build !unix && !windows

package wire

import (
	"os"
	"os/exec"
)

// ownSession does nothing: there are no process groups that could be ended as a whole.
func ownSession(*exec.Cmd) {}

// terminateGroup does nothing: no signal asks politely. Closing stdin did.
func terminateGroup(*os.Process) {}

// killGroup ends the process alone.
func killGroup(p *os.Process) { _ = p.Kill() }
