//go:build !linux

package wire

import "os"

// killGroupAndLeft ends the process group. Other systems do not reliably show a process's environment and parent to its user.
func killGroupAndLeft(p *os.Process, _ string) { killGroup(p) }
