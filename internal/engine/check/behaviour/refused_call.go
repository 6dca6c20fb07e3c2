package behaviour

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-504", Name: "refused-system-call", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP04:2025 weak, ASI05 weak, CWE-250 weak, L3 close, L4 weak",
	Axis:     "persistence", Needs: check.Observed, Source: source,
	Doc: `A server in a sandbox made a system call that has to do with other processes or with the kernel, and that the
sandbox refused: it looked into another process (ptrace, process_vm_readv, pidfd_getfd), changed the limits of one
(prlimit64), mounted something, or loaded code into the kernel. No server needs that to answer its client; with the limits
of the first process an attacker tries to stop what records him.

Not reported: calls with which browsers and language runtimes seal off parts of their own (unshare, clone), key rings
and counters of performance, which are recorded as events.`,
	Advice: "Look at what makes the call. A debugger or a tool for containers has a reason to make it.",
	Run: func(p *check.Pass) {
		reportEvents(p, func(e *observed) (message string, identity []string) {
			name, ok := strings.CutPrefix(strings.TrimSpace(e.text), "the system call ")
			if e.kind != "denied" || !ok || refusedFor[name] == "" {
				return "", nil
			}
			return fmt.Sprintf("%s tried the system call %s, which %s, %s", e.server(), name, refusedFor[name], e.when()), []string{name}
		})
	},
})

// refusedFor says what a refused system call would do.
var refusedFor = map[string]string{
	"prlimit64": "changes the limits of another process", "ptrace": "takes control of another process", "process_vm_readv": "reads the memory of another process",
	"process_vm_writev": "writes the memory of another process", "pidfd_getfd": "takes over files of another process", "kcmp": "compares processes",
	"setns": "enters other namespaces", "mount": "mounts a file system", "move_mount": "mounts a file system", "fsmount": "mounts a file system", "open_tree": "mounts a file system",
	"pivot_root": "changes the root folder", "umount2": "unmounts a file system", "open_by_handle_at": "opens files by handle, bypassing folder permissions", "bpf": "loads code into the kernel",
	"init_module": "loads code into the kernel", "finit_module": "loads code into the kernel", "delete_module": "unloads a kernel module", "kexec_load": "starts another kernel",
	"kexec_file_load": "starts another kernel", "reboot": "stops the machine", "fanotify_init": "monitors all files",
}
