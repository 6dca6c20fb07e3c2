package cli

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// redactReport replaces the values of --env wherever a live server repeated them. Reports
// go to logs and code hosts. An excerpt that loses a value keeps the offsets of the
// server's own text.
func redactReport(r *result.Report, redact func(string) string, env []string) {
	for i := range r.Findings {
		f := &r.Findings[i]
		for i := range f.Related {
			if l := &f.Related[i]; l.File == "" {
				redactLocation(redact, l)
				redactAll(redact, &f.Message)
			}
		}
		if f.Location.File == "" {
			redactAll(redact, &f.Message, &f.Evidence.Raw, &f.Evidence.Normalized, &f.Evidence.Before, &f.Evidence.After)
			cutEdges(env, &f.Evidence.Raw, &f.Evidence.Normalized, &f.Evidence.Before, &f.Evidence.After)
			redactLocation(redact, &f.Location)
		}
	}
	for i := range r.Problems {
		if p := &r.Problems[i]; p.Location.File == "" {
			redactAll(redact, &p.Message)
			redactLocation(redact, &p.Location)
		}
	}
	for i := range r.Coverage.Servers {
		if s := &r.Coverage.Servers[i]; s.File == "" {
			redactAll(redact, &s.Server)
		}
	}
	for i := range r.Posture {
		redactAll(redact, &r.Posture[i].Detail)
	}
}

// cutEdges removes a part of a value that an excerpt begins or ends with: where the text
// was cut in the middle of it, the whole value is not there to be found.
func cutEdges(env []string, texts ...*string) {
	for _, e := range env {
		_, value, _ := strings.Cut(e, "=")
		for _, t := range texts {
			for n := len(value) - 1; n >= shortestSecret; n-- {
				if rest, ok := strings.CutSuffix(*t, value[:n]); ok {
					*t = rest + "…"
				}
				if rest, ok := strings.CutPrefix(*t, value[len(value)-n:]); ok {
					*t = "…" + rest
				}
			}
		}
	}
}

// shortestSecret is the length in bytes below which a value stands in every text.
const shortestSecret = 4

func redactLocation(redact func(string) string, l *finding.Location) {
	redactAll(redact, &l.Server, &l.Item, &l.Pointer)
}

func redactAll(redact func(string) string, texts ...*string) {
	for _, t := range texts {
		*t = redact(*t)
	}
}

// secretsIn returns the names of the --env entries whose values stand in text.
func secretsIn(text string, env []string) []string {
	var names []string
	for _, e := range env {
		if name, value, _ := strings.Cut(e, "="); len(value) >= shortestSecret && strings.Contains(text, value) {
			names = append(names, name)
		}
	}
	return names
}
