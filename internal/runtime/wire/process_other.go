//go:build !unix && !windows

package wire

import (
	"os"
	"os/exec"
)

// ownSession does nothing: there are no process groups to end.
func ownSession(*exec.Cmd) {}

// terminateGroup does nothing: there is no polite signal. Closing stdin was the request.
func terminateGroup(*os.Process) {}

// groupLives reports nothing: a program without a parent is not found here.
func groupLives(*os.Process) bool { return false }

func killGroup(p *os.Process) { _ = p.Kill() }
