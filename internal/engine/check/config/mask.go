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

// Mask stands in for a secret in evidence: its first four characters, fewer of a short
// one, and its length.
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

// CommandLine returns the command and its arguments for a person who has to agree to
// their launch. What looks like a secret is masked: values of flags and variables that
// are named like credentials, and what internal/leaf/secret finds. Of program text, such as that
// behind sh -c, no more is masked than a word of it can be, or a person would agree to what
// is behind the mask.
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

// programFlag matches the flags of shells and interpreters behind which a program stands.
var programFlag = lazyregexp.New(`(?i)^(?:-[a-z]*[cepr]|/[ckr]|--?(?:eval|print|exec|command|encodedcommand))$`)

// programMarks are characters that a program is made of, and a secret rarely.
const programMarks = ";|&()<>`\n"

// maskProgram masks the secrets between the marks of a program.
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

// Address returns the entry's URL for a person, without the user, the values of the query,
// the fragment and path segments that look drawn by lot.
func (e *Entry) Address() string { return maskURL(e.URL.Reveal()) }

func maskURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return maskSecrets(s)
	}
	_, rest, _ := strings.Cut(s, "://")
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	path := strings.Split(rest, "/") // as written, with its references
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

// maskSecrets masks the secrets in any text, so that it can be quoted.
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

// A span is a part of a string, in bytes; why says what it is.
type span struct {
	start, end int
	why        string
}

// MaxJudged is how much of one value is looked through for secrets, in bytes. Who reads
// configurations says so where a value is longer.
const MaxJudged = 64 << 10

// secretsIn finds secrets by their own looks: those internal/leaf/secret knows, the password
// of a URL, and query values and assignments that are named like credentials.
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
