package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/secret"
)

// Mask replaces a secret in evidence by its length and first four characters, fewer if it is short.
func Mask(s string) string {
	n := utf8.RuneCountInString(s)
	head, seen := 0, 0
	for seen < min(4, n/4) {
		_, size := utf8.DecodeRuneInString(s[head:])
		head += size
		seen++
	}
	return fmt.Sprintf("%s… (%d characters)", strings.ToValidUTF8(s[:head], "\uFFFD"), n)
}

// CommandLine returns the command and its arguments for the person who consents to the launch. Values of flags and
// variables named like credentials, and what internal/leaf/secret finds, are masked. In program text, such as after sh
// -c, only words are masked, since nobody should consent to hidden code.
func (e *Entry) CommandLine() string {
	parts := []string{quoteArgument(maskSecrets(e.Command))}
	hot := hotArgs(e)
	program := false
	for i, a := range e.Args {
		text := a.Reveal()
		s, isHot := hot[i]
		switch {
		case program && strings.ContainsAny(text, programMarks):
			text = maskProgram(text)
		case isHot:
			text = maskSecrets(text[:s.start] + Mask(text[s.start:s.end]) + text[s.end:])
		default:
			text = maskSecrets(text)
		}
		parts = append(parts, quoteArgument(text))
		program = program || programFlag.MatchString(a.Reveal())
	}
	return strings.Join(parts, " ")
}

// programFlag matches the flags of shells and interpreters that a program follows.
var programFlag = lazyregexp.New(`(?i)^(?:-[a-z]*[cepr]|/[ckr]|--?(?:eval|print|exec|command|encodedcommand))$`)

// programMarks are characters common in programs and rare in secrets.
const programMarks = ";|&()<>`\n"

// maskProgram masks secrets between programMarks.
func maskProgram(s string) string {
	if len(s) > MaxJudged {
		return maskProgram(s[:MaxJudged]) + "…"
	}
	var b strings.Builder
	for s != "" {
		at := strings.IndexAny(s, programMarks)
		if at < 0 {
			at = len(s)
		}
		piece := s[:at]
		if name, value, ok := strings.Cut(piece, "="); ok {
			if found := namedSecrets(name, value); len(found) > 0 {
				piece = name + "=" + value[:found[0].start] + Mask(value[found[0].start:found[0].end]) + value[found[0].end:]
			}
		}
		b.WriteString(maskSecrets(piece))
		if at < len(s) {
			b.WriteByte(s[at])
			at++
		}
		s = s[at:]
	}
	return b.String()
}

func quoteArgument(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n\"'") {
		return fmt.Sprintf("%q", s)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Address returns the entry's URL for display, without user, query values, fragment and random-looking path segments.
func (e *Entry) Address() string { return maskURL(e.URL.Reveal()) }

func maskURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return maskSecrets(s)
	}
	_, rest, _ := strings.Cut(s, "://")
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	path := strings.Split(rest, "/") // as written, with references
	path[0] = ""
	for i, seg := range path {
		if drawn(seg) {
			path[i] = Mask(seg)
		}
	}
	out := u.Scheme + "://" + u.Host + strings.Join(path, "/")
	if u.RawQuery != "" {
		out += "?…"
	}
	return maskSecrets(out)
}

// maskSecrets masks the secrets in a text, so that it can be quoted.
func maskSecrets(s string) string {
	if len(s) > MaxJudged {
		return maskSecrets(s[:MaxJudged]) + "…"
	}
	spans := secretsIn(s)
	if len(spans) == 0 {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	var b strings.Builder
	at := 0
	for _, p := range spans {
		if p.start < at {
			continue
		}
		b.WriteString(s[at:p.start])
		b.WriteString(Mask(s[p.start:p.end]))
		at = p.end
	}
	b.WriteString(s[at:])
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// A span is a byte range of a string; why describes it.
type span struct {
	start, end int
	why        string
}

// MaxJudged limits the bytes of a value searched for secrets. Readers of configurations report longer values.
const MaxJudged = 64 << 10

// secretsIn finds secrets by form: those that internal/leaf/secret knows, passwords in URLs, and query values and
// assignments named like credentials.
func secretsIn(s string) []span {
	var out []span
	s = s[:min(len(s), MaxJudged)]
	for _, m := range secret.Find(s) {
		if !refers(s[m.Start:m.End]) {
			out = append(out, span{m.Start, m.End, m.Rule})
		}
	}
	out = append(out, urlSecrets(s)...)
	slices.SortFunc(out, func(a, b span) int { return a.start - b.start })
	kept := out[:0]
	for _, p := range out {
		if len(kept) == 0 || p.start >= kept[len(kept)-1].end {
			kept = append(kept, p)
		}
	}
	return kept
}

// urlSecrets finds user:password@ and ?token=value in the URLs of s.
func urlSecrets(s string) []span {
	var out []span
	for at := 0; ; {
		i := strings.Index(s[at:], "://")
		if i < 0 {
			return out
		}
		start := at + i + 3
		end := start
		for end < len(s) && !strings.ContainsRune(" \t\n\"'<>`", rune(s[end])) {
			end++
		}
		out = append(out, inURL(s, start, end)...)
		at = end
	}
}

func inURL(s string, start, end int) []span {
	var out []span
	host := s[start:end]
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	if i := strings.LastIndexByte(host, '@'); i > 0 {
		user, pass, ok := strings.Cut(host[:i], ":")
		switch {
		case ok && credible(pass, true):
			out = append(out, span{start + len(user) + 1, start + i, "url-password"})
		case !ok && credible(user, false) && drawn(user):
			out = append(out, span{start, start + i, "url-token"})
		}
	}
	q := strings.IndexByte(s[start:end], '?')
	if q < 0 {
		return out
	}
	for at := start + q + 1; at < end; {
		stop := end
		if n := strings.IndexAny(s[at:end], "&#"); n >= 0 {
			stop = at + n
		}
		if name, value, ok := strings.Cut(s[at:stop], "="); ok && redact.CredentialName(name) && credible(value, false) {
			out = append(out, span{at + len(name) + 1, stop, "url-parameter"})
		}
		at = stop + 1
	}
	return out
}
