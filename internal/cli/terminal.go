package cli

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"gauntlet/report"
)

// isTerminal reports whether w is shown to a person.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalOptions returns the appearance of a report on stdout.
func (a *app) terminalOptions(verbose bool) report.Options {
	opt := report.Options{Verbose: verbose, Width: a.host.Columns, Height: a.host.Rows}
	shown := opt.Width > 0
	if f, ok := a.host.Stdout.(*os.File); ok && !shown && isTerminal(f) {
		shown = true
		if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			opt.Width, opt.Height = width, height
		}
	}
	// https://no-color.org: present and not empty, whatever its value.
	opt.Color = shown && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
	return opt
}

// getenv returns a variable's last value, as the system's getenv would after successive settings.
func (a *app) getenv(name string) string {
	found, _ := a.lookupEnv(name)
	return found
}

func (a *app) lookupEnv(name string) (value string, ok bool) {
	for _, entry := range a.host.Environ {
		if v, is := strings.CutPrefix(entry, name+"="); is {
			value, ok = v, true
		}
	}
	return value, ok
}
