package wire

import (
	"strings"
	"testing"
)

// Of what a failed program wrote, the lines that name the cause are told.
func TestTellingLines(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"npm, a package that is not there", `npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/nosuch - Not found
npm error 404
npm error 404  The requested resource 'nosuch@*' could not be found or you do not have permission to access it.
npm error 404 Note that you can also install from a
npm error A complete log of this run can be found in: /x.log
npm notice To update run: npm install -g npm@11`, "npm error 404 Not Found - GET https://registry.npmjs.org/nosuch - Not found | npm error 404  The requested resource 'nosuch@*' could not be found or you do not have permission to access it."},
		{"node, a missing key", `/srv/index.js:3
  throw new Error("API_KEY is required")
  ^

Error: API_KEY is required
    at Object.<anonymous> (/srv/index.js:3:9)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)

Node.js v22.4.0`, "Error: API_KEY is required"},
		{"python", `Traceback (most recent call last):
  File "server.py", line 3, in <module>
    main()
ValueError: TOKEN must be set`, "ValueError: TOKEN must be set"},
		{"a cause before much that follows", "starting\nError: FIGMA_API_KEY is required\nsee the readme\nbye\nbye", "Error: FIGMA_API_KEY is required"},
		{"nothing that tells", "one\ntwo\nthree\nfour", "two | three | four"},
		{"only chatter", "npm notice a\nnpm notice b", "npm notice a | npm notice b"},
		{"nothing", "\n\n", ""},
	} {
		if got := strings.Join(TellingLines(tt.text, wordLines), " | "); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// An answer behind other text on its line fails its request at once, with that text.
func TestGluedAnswers(t *testing.T) {
	for _, tt := range []struct{ name, before, want string }{
		{"a print without a line end", "Loading model... ", `"Loading model..." stands before it on its line`},
		{"an escape sequence", "\x1b]0;title\x07", `"\x1b]0;title\a" stands before it on its line`},
		{"a byte order mark", "\ufeff", "a byte order mark stands before it"},
		{"a log with braces", `{"a":1} `, `"{\"a\":1}" stands`},
	} {
		conn := &scripted{script: map[string][]string{"a": {tt.before + answerLine}}}
		_, err := NewClient(conn, Limits{}).Call(t.Context(), "a", "{}")
		if err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(tt.want, `\"`, `"`)) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.want)
		}
	}
	spread := []string{"{", `  "level": "info"`, "}", "", "{", `  "jsonrpc": "2.0",`, `  "id": ID,`, `  "result": {`, `    "for": {}`, "  }", "}"}
	_, err := NewClient(&scripted{script: map[string][]string{"a": spread}}, Limits{}).Call(t.Context(), "a", "{}")
	if err == nil || !strings.Contains(err.Error(), "spread over several lines") {
		t.Errorf("an answer that is printed for people: %v", err)
	}
	log := append(spread[:3:3], answerLine)
	if _, err := NewClient(&scripted{script: map[string][]string{"a": log}}, Limits{}).Call(t.Context(), "a", "{}"); err != nil {
		t.Errorf("an answer behind a log that is printed for people: %v", err)
	}
}
