package target

import (
	"os/exec"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// hostAndPort matches an address without a scheme. A one-letter name before the colon is a Windows drive.
var hostAndPort = lazyregexp.New(`^[A-Za-z0-9.-]{2,}:[0-9]{1,5}(/|$)`)

// AdviseName returns advice, beginning with a semicolon, for a name given instead of a file: an address without http://, a URL that
// is not HTTP, or a program; "" for other names.
func AdviseName(name string) string {
	switch {
	case hostAndPort.MatchString(name):
		return "; the URL of a server begins with http:// or https://"
	case strings.Contains(name, "://"):
		return "; the URL of a server begins with http:// or https://; no other scheme is supported"
	}
	if _, err := exec.LookPath(name); err != nil {
		return ""
	}
	return "; to scan a live server put -- before its command: gauntlet scan -- " + name
}
