package source

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/secret"
	"gauntlet/sink"
)

// settings are endings of files that are no code of a language that is read, and may hold credentials.
var settings = []string{".env", ".ini", ".cfg", ".conf", ".properties", ".sh", ".pem", ".key"}

// settingsName is the name of a file in JSON, YAML or TOML that holds settings. Others hold data, often much of it.
var settingsName = lazyregexp.New(`(?i)(config|credential|secret|setting|service[-_]?account|firebase|compose|wrangler|^\.?mcp).*\.(json|ya?ml|toml)$`)

// holdsSettings reports whether a file is read for credentials alone.
func holdsSettings(name string) bool {
	return strings.HasPrefix(name, ".env") || slices.Contains(settings, path.Ext(name)) || settingsName.MatchString(name)
}

// invented is part of a path where credentials are made up.
var invented = lazyregexp.New(`(?i)(^|[/._-])(tests?|specs?|examples?|samples?|demos?|fixtures?|mocks?|docs?|templates?|dist-types|locales?|i18n|schemas?|testing|snapshots?|benchmarks?|corpus|stubs?|dummy|placeholder)([/._-]|$)`)

// memberChain is a member of a member of something, as code writes it.
var memberChain = lazyregexp.New(`^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)+$`)

const (
	secretChunk   = 64 << 10 // bytes that are searched at once
	maxSecretFile = 2 << 20  // bytes of one file that are searched
	maxSecrets    = 50       // of one tree
	shownOfSecret = 6        // bytes by which a reader finds it again
)

// findSecrets returns the credentials that stand in files, by file and place.
func findSecrets(files []sink.File, stop func() bool) (out []sink.Site) {
	for _, f := range files {
		if invented.MatchString(f.Path) || stop != nil && stop() {
			continue
		}
		at, line := 0, 1
		for text := f.Text[:min(len(f.Text), maxSecretFile)]; len(text) > 0 && len(out) < maxSecrets; {
			chunk := text[:chunkEnd(text)]
			for _, m := range secret.Find(string(chunk)) {
				if isNone(chunk, m) {
					continue
				}
				out = append(out, sink.Site{Kind: sink.TreeSecret, Name: m.Rule,
					At:  sink.Place{File: f.Path, Line: line + bytes.Count(chunk[:m.Start], []byte("\n")), Start: at + m.Start, End: at + min(m.End, m.Start+shownOfSecret)},
					Why: fmt.Sprintf("a credential stands in the tree (%s)", strings.TrimSuffix(m.Description, "."))})
			}
			at, line, text = at+len(chunk), line+bytes.Count(chunk, []byte("\n")), text[len(chunk):]
		}
	}
	return out
}

// chunkEnd returns the end of the lines that are searched at once.
func chunkEnd(text []byte) int {
	if len(text) <= secretChunk {
		return len(text)
	}
	if i := bytes.LastIndexByte(text[:secretChunk], '\n'); i > 0 {
		return i + 1
	}
	return secretChunk
}

// isNone reports whether what looks like a credential is a name or a call of the program, or made to be public.
func isNone(text []byte, m secret.Match) bool {
	if m.Start == 0 || m.End >= len(text) {
		return false
	}
	if bytes.HasPrefix(text[m.Start:], []byte("phc_")) { // PostHog's keys of projects are made to be public
		return true
	}
	if _, rest, ok := bytes.Cut(text[m.Start:m.End], []byte(".")); ok && m.Rule == "jwt" { // Supabase's token of the role "anon" is made for browsers
		payload, _, _ := bytes.Cut(rest, []byte("."))
		claims, err := base64.RawURLEncoding.DecodeString(string(payload))
		if err == nil && bytes.Contains(claims, []byte(`"role":"anon"`)) {
			return true
		}
	}
	if m.Rule == "password-in-prose" && memberChain.Match(text[m.Start:m.End]) { // password = config.auth.password
		return true
	}
	after := text[m.End]
	return after == '(' || after == '.' || after == '['
}
