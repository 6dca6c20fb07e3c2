package redteam

import (
	"strings"
	"sync"

	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/secret"
	"gauntlet/rawjson"
)

// masks hides a real server's secrets. It is safe for concurrent use; nil hides nothing.
type masks struct {
	mu    sync.Mutex
	known []string // NAME=VALUE
	given *redact.Redactor
}

func (k *masks) add(secrets []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = append(k.known, secrets...)
	k.given = redact.New(k.known)
}

func (k *masks) redactor() *redact.Redactor {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.given
}

// text returns a text without values given to the server.
func (k *masks) text(s string) string { return k.redactor().Replace(s) }

// message returns a message without values given to the server; in definitions also without likely secrets.
func (k *masks) message(raw string, definitions bool) string {
	if r := k.redactor(); r != nil {
		raw = r.ReplaceJSON(raw)
	}
	if definitions {
		raw = withoutFound(raw)
	}
	return raw
}

// secretRemoved replaces likely secrets in definitions.
const secretRemoved = "[secret removed]"

// withoutFound replaces likely secrets in a JSON text's strings, except member names.
func withoutFound(raw string) string {
	var tree rawjson.Tree
	if tree.Parse(raw, 0) != nil {
		return raw
	}
	var b strings.Builder
	at := 0
	for s := range tree.Root().Strings() {
		if s.IsKey {
			continue
		}
		text := s.Value.Text()
		clean := secret.Replace(text, func(string) string { return secretRemoved })
		if clean == text {
			continue
		}
		start := s.Value.Offset()
		b.WriteString(raw[at:start] + rawjson.Quote(clean))
		at = start + len(s.Value.Raw())
	}
	return b.String() + raw[at:]
}
