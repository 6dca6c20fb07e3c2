package tracefile

import (
	"context"
	"fmt"
	"io"
	"regexp"

	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/secret"
	"gauntlet/internal/run/userfile"
	"gauntlet/trace"
)

// A SecretRemover replaces secrets in texts by labels, the same label for the same secret.
type SecretRemover struct {
	given    *redact.Redactor
	patterns []*regexp.Regexp
	labels   *trace.Labels
}

// NewSecretRemover removes values given as NAME=VALUE, matches of the patterns (RE2), and likely secrets.
func NewSecretRemover(given, patterns []string) (*SecretRemover, error) {
	r := &SecretRemover{given: redact.New(given), labels: trace.NewLabels("secret-")}
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		switch {
		case err != nil:
			return nil, err
		case re.MatchString(""):
			return nil, fmt.Errorf("%q matches the empty text, which stands everywhere", p)
		}
		r.patterns = append(r.patterns, re)
	}
	return r, nil
}

// Remove returns a text without secrets.
func (r *SecretRemover) Remove(text string) string {
	text = r.given.Replace(text)
	for _, re := range r.patterns {
		text = re.ReplaceAllStringFunc(text, r.labelOf)
	}
	return secret.Replace(text, r.labelOf)
}

func (r *SecretRemover) labelOf(s string) string { return "[" + r.labels.Of(s) + "]" }

// Copy writes the rest of a trace to a file, - for stdout, without secrets and with a header that says so. It returns how many of
// how many messages had any. unread is called with unreadable lines; they are missing from the copy, which says so too. It ends
// early with ctx.
func (r *SecretRemover) Copy(ctx context.Context, in *Input, file string, stdout io.Writer, tool string, unread func(*trace.LineError)) (changed, all int, err error) {
	header := in.Header
	header.Redacted, header.Tool, header.Part = true, tool, 0
	w, err := NewWriter(file, stdout, header)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", file, userfile.Reason(err))
	}
	err = in.Each(unread, func(m *trace.Message) error {
		if all++; m.Rewrite(r.Remove) {
			changed++
		}
		if err := w.Write(m); err != nil {
			return err
		}
		return ctx.Err()
	})
	if closed := w.Close(in.Unread, "lines that could not be read are not in this copy"); err == nil {
		err = closed
	}
	if err != nil {
		return 0, 0, fmt.Errorf("the copy is incomplete: %w", userfile.Reason(err))
	}
	return changed, all, nil
}
