package cli

import (
	"errors"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/run/userfile"
)

// limitFlags bound what is read.
type limitFlags struct{ catalog.Limits }

func (l *limitFlags) addLimitFlags(cmd *cobra.Command) {
	cmd.Flags().Var(sizeFlag(&l.Bytes, catalog.DefaultBytes), "max-bytes", "longest input read: a file, and all that a live server sends")
	cmd.Flags().Var(countFlag(&l.Depth, catalog.DefaultDepth, catalog.MaxDepth), "max-depth", "deepest nesting of one definition; a deeper one is read and makes the scan incomplete")
	cmd.Flags().Var(countFlag(&l.Items, catalog.DefaultItems, 1<<31-1), "max-items", "most tools, and most prompts, resources and templates, of one server")
}

// readFile returns the text of a snapshot file, or of stdin for "-". Errors are *catalog.Error.
func (a *app) readFile(name string, limit int) (string, error) {
	text, err := a.readText(name, limit)
	if err != nil {
		return "", &catalog.Error{File: name, Msg: userfile.Reason(err).Error()}
	}
	return text, nil
}

// readText returns the text of a file, or of stdin for "-".
func (a *app) readText(name string, limit int) (string, error) {
	text, err := userfile.ReadText(name, a.host.Stdin, limit)
	switch {
	case errors.Is(err, userfile.ErrMissing):
		return "", errors.New(err.Error() + commandHint(name))
	case errors.Is(err, userfile.ErrDirectory):
		return "", errors.New("it is a directory: name the snapshot files in it")
	}
	return text, err
}

// hostAndPort is an address without a scheme. A name of one letter before the colon is a Windows drive.
var hostAndPort = lazyregexp.New(`^[A-Za-z0-9.-]{2,}:[0-9]{1,5}(/|$)`)

// commandHint helps who names a server where a file is wanted: an address without http://, a URL that
// is not HTTP, or a program.
func commandHint(name string) string {
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
