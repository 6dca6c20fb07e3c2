package tracefile

import (
	"fmt"
	"regexp"

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
	return secret.Replace(text, r.labelOf)
}

func (r *SecretRemover) labelOf(s string) string { return "[" + r.labels.Of(s) + "]" }
