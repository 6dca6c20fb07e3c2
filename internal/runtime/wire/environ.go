package wire

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// inherited lists the variables that a server needs, after the official SDKs' lists. Everything else (tokens, cloud credentials,
// agent sockets) is not for a server under test. A trailing * marks a prefix.
var inherited = map[bool][]string{
	false: {"HOME", "LANG", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"},
	true: {
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT",
		"PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP",
		"USERNAME", "USERPROFILE",
	},
}

// Inherited returns the entries of environ that a server gets by default.
func Inherited(environ []string) []string {
	windows := runtime.GOOS == "windows"
	var out []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if windows {
			name = strings.ToUpper(name) // names are case-insensitive there
		}
		// A value that begins with "()" is a shell function exported by bash.
		if slices.ContainsFunc(inherited[windows], func(n string) bool { return covers(n, name) }) && !strings.HasPrefix(value, "()") {
			out = append(out, entry)
		}
	}
	return out
}

func covers(pattern, name string) bool {
	prefix, isPrefix := strings.CutSuffix(pattern, "*")
	return pattern == name || isPrefix && strings.HasPrefix(name, prefix)
}

// environment joins inherited and explicitly set variables. It is never nil: os/exec takes nil for our whole environment.
func environment(environ, set []string) ([]string, error) {
	for i, entry := range set {
		name, _, ok := strings.Cut(entry, "=")
		switch {
		case !ok || name == "":
			// Not quoted: it may be a secret whose name was forgotten.
			return nil, fmt.Errorf("environment variable %d is not of the form NAME=VALUE", i+1)
		case strings.IndexByte(entry, 0) >= 0:
			return nil, fmt.Errorf("environment variable %d contains a NUL byte", i+1)
		}
	}
	return append(append(make([]string, 0, len(set)+16), Inherited(environ)...), set...), nil
}
