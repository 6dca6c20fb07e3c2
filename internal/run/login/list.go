package login

import (
	"fmt"
	"io"
	"strings"
	"time"

	"gauntlet/report"
)

// WriteLines writes the stored logins, one per line.
func WriteLines(w io.Writer, lines []Line) error {
	if len(lines) == 0 {
		_, err := fmt.Fprintln(w, "no logins are stored")
		return err
	}
	for _, l := range lines {
		state := "does not say when it ends"
		switch {
		case l.Problem != "":
			state = l.Problem
		case l.Renewable:
			state = "renewed by itself"
		case !l.Expiry.IsZero():
			state = "ends " + l.Expiry.Format(time.RFC3339)
		}
		text := fmt.Sprintf("%s by %s (%s), scopes %q, %s, in the %s", l.Server, l.Issuer, l.Grant, strings.Join(l.Scopes, " "), state, l.Place)
		if _, err := fmt.Fprintln(w, report.Visible(text)); err != nil {
			return err
		}
	}
	return nil
}
