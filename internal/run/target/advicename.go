package target

import (
	"os/exec"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// hostAndPort is an address without a scheme. A name of one letter before the colon is a Windows drive.
var hostAndPort = lazyregexp.New(`^[A-Za-z0-9.-]{2,}:[0-9]{1,5}(/|$)`)

// AdviseName helps who names a server where a file is wanted: an address without http://, a URL that
// is not HTTP, or a program. It begins with a semicolon, and is "" for any other name.
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
