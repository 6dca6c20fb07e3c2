//go:build !linux

package wire

import "os"

// killGroupAndLeft ends the process group. Other systems do not show the environment and the
// parent of a process to its user in a way that can be relied on.
func killGroupAndLeft(p *os.Process, _ string) { killGroup(p) }
