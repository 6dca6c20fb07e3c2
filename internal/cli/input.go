package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
)

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
		return "", errors.New(err.Error() + target.AdviseName(name))
	case errors.Is(err, userfile.ErrDirectory):
		return "", errors.New("it is a directory: name the snapshot files in it")
	}
	return text, err
}
