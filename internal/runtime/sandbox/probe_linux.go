package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
)

// probeNamespaces finds out once whether this process may begin namespaces.
var probeNamespaces = sync.OnceValue(func() error {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{stageVariable + "=" + stageProbe}
	if _, err := os.Stat("/bin/true"); err == nil { // starts faster
		cmd = exec.Command("/bin/true")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET}
	if err := cmd.Run(); err != nil {
		return explainStart(err)
	}
	return nil
})

const stageProbe = "probe"

// explainStart names what keeps this process from beginning namespaces.
func explainStart(err error) error {
	if !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.EUSERS) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return fmt.Errorf("%w: it needs a user namespace, which this system does not allow: %s", ErrUnavailable, nameCause(readFirstLine, err))
}

// nameCause tells which of the settings that forbid user namespaces is on.
func nameCause(read func(path string) string, err error) string {
	switch {
	case read("/proc/sys/kernel/unprivileged_userns_clone") == "0":
		return "kernel.unprivileged_userns_clone is 0 (as root: sysctl -w kernel.unprivileged_userns_clone=1)"
	case read("/proc/sys/user/max_user_namespaces") == "0":
		return "user.max_user_namespaces is 0 (as root: sysctl -w user.max_user_namespaces=1000)"
	case read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
		return "AppArmor restricts it (as root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0)"
	case strings.HasSuffix(read("/proc/self/status:Seccomp"), "2"):
		return "a seccomp filter forbids it, as in a container (Docker allows it with --security-opt seccomp=unconfined)"
	case read("/proc/sys/user/max_user_namespaces") == "":
		return "the kernel was built without them"
	case errors.Is(err, syscall.ENOSPC):
		return "the limit user.max_user_namespaces is reached, as in a sandbox that forbids further ones"
	}
	return err.Error()
}

// readFirstLine returns the first line of a file, or the line of it that begins with the word
// behind a colon; "" if there is none.
func readFirstLine(path string) string {
	path, word, _ := strings.Cut(path, ":")
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, word+":") || word == "" {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
