package wire

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// inherited are the variables that a server cannot do without, after the lists of the
// official SDKs. Everything else (tokens, cloud credentials, agents' sockets) is not for
// a server under test. Names that end in * are prefixes.
var inherited = map[bool][]string{
	false: {"HOME", "LANG", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"},
	true: {
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT",
		"PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP",
		"USERNAME", "USERPROFILE",
	},
}

// Inherited returns the entries of environ that a server gets without being given them.
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

// environment joins what is inherited and what was set. Never nil, since os/exec takes
// nil for "everything we have".
func environment(environ, set []string) ([]string, error) {
	for i, entry := range set {
		name, _, ok := strings.Cut(entry, "=")
		switch {
		case !ok || name == "":
			// The entry may be a value whose name was forgotten: it is not quoted.
			return nil, fmt.Errorf("environment variable %d is not of the form NAME=VALUE", i+1)
		case strings.IndexByte(entry, 0) >= 0:
			return nil, fmt.Errorf("environment variable %d contains a NUL byte", i+1)
		}
	}
	return append(append(make([]string, 0, len(set)+16), Inherited(environ)...), set...), nil
}
