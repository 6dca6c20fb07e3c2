package tracefile

import (
	"fmt"
	"regexp"
	"strings"

	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/secret"
	"gauntlet/trace"
)

// A SecretRemover takes secrets out of texts and puts labels in their places, the same label for
// the same secret.
type SecretRemover struct {
	given    *redact.Redactor
	patterns []*regexp.Regexp
	labels   *trace.Labels
}

// NewSecretRemover removes values given as NAME=VALUE, what the patterns (RE2) match, and what
// looks like a secret.
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
	return r.removeFound(text)
}

func (r *SecretRemover) labelOf(s string) string { return "[" + r.labels.Of(s) + "]" }

// searches is how often a text is searched, which finds 20 secrets at a time.
const searches = 50

func (r *SecretRemover) removeFound(text string) string {
	for range searches {
		found := secret.Find(text)
		if len(found) == 0 {
			return text
		}
		var b strings.Builder
		done := 0
		for _, m := range found {
			b.WriteString(text[done:m.Start] + r.labelOf(text[m.Start:m.End]))
			done = m.End
		}
		text = b.String() + text[done:]
		if len(found) < secret.MaxMatches {
			return text
		}
	}
	return r.labelOf(text) // a heap of them: nothing of it is worth keeping
}
