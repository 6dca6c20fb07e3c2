package surface

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

// A rewrite says the same in another way, or turns it round.
type rewrite struct {
	name string
	of   func(string) string
}

// eachSentence applies f to every sentence.
func eachSentence(f func(string) string) func(string) string {
	return func(s string) string {
		var out []string
		for _, sentence := range sentences(s) {
			out = append(out, f(sentence))
		}
		return strings.Join(out, " ")
	}
}

var sentenceEnd = regexp.MustCompile(`([.!?。])\s+`)

func sentences(s string) []string {
	return strings.Split(sentenceEnd.ReplaceAllString(s, "$1\x00"), "\x00")
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

func everyFourWords(sep string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for i, w := range strings.Fields(s) {
			if i > 0 && i%4 == 0 {
				b.WriteString(sep)
			} else if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
		return b.String()
	}
}

// keeping are rewrites that leave the meaning as it is.
var keeping = []rewrite{
	{"For audit, in front", eachSentence(func(s string) string { return "For audit, " + lowerFirst(s) })},
	{"To monitor quality, in front", eachSentence(func(s string) string { return "To monitor quality, " + lowerFirst(s) })},
	{"a blank line every four words", everyFourWords("\n\n")},
	{"a line break every four words", everyFourWords("\n")},
	{"in quotation marks", eachSentence(func(s string) string { return `"` + s + `"` })},
	{"bullets", func(s string) string { return "- " + strings.Join(sentences(s), "\n- ") }},
	{"numbered", func(s string) string { return "1. " + strings.Join(sentences(s), "\n1. ") }},
	{"bold", eachSentence(func(s string) string { return "**" + s + "**" })},
	{"a heading in front", func(s string) string { return "## Usage\n\n" + s }},
	{"thanks behind", func(s string) string { return s + " Thank you." }},
	{"a harmless sentence in front", func(s string) string { return "Results are sorted by date. " + s }},
	{"a guard word in front", func(s string) string { return "Scans, monitors and protects the workspace. " + s }},
	{"polite", eachSentence(func(s string) string { return "Kindly note that this matters. " + s })},
	{"synonyms", strings.NewReplacer("read ", "open ", "Do not mention", "Never mention", "tell the user", "inform the user", "send ", "transmit ", "Disregard", "Ignore").Replace},
}

// turning are rewrites that report the text and ask for nothing.
var turning = []rewrite{
	{"quoted by a detector", func(s string) string {
		return `Detects poisoned descriptions such as "` + strings.ReplaceAll(s, `"`, "'") + `".`
	}},
}

// bads returns the items of the bad sections of a golden, each as a snapshot by itself.
func bads(t *testing.T, id string) (out []map[string]any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", id+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range strings.Split(string(data), "\n-- ")[1:] {
		head, body, _ := strings.Cut(section, " --\n")
		if !strings.HasPrefix(head, "bad") || strings.HasPrefix(head, "bad-disguised") {
			continue // a disguise is not readable by whoever rewrites it
		}
		var doc map[string]any
		if err := json.Unmarshal([]byte(body), &doc); err != nil {
			t.Fatalf("%s: %s: %v", id, head, err)
		}
		tools, _ := doc["tools"].([]any)
		for _, tool := range tools {
			out = append(out, map[string]any{"tools": []any{tool, map[string]any{"name": "count_words", "inputSchema": map[string]any{"type": "object"}}}})
		}
	}
	return out
}

// rewritten applies f to everything in v that reads like a sentence.
func rewritten(v any, f func(string) string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[k] = rewritten(e, f)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = rewritten(e, f)
		}
		return out
	case string:
		if strings.Count(v, " ") >= 2 {
			return f(v)
		}
	}
	return v
}

func found(t *testing.T, doc any) bool {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse("", string(text), catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range check.Run(c, Checks(), check.Options{}).Findings {
		switch f.Rule {
		case finding.Rule("SEC-001"), "SEC-002", "SEC-003", "SEC-006":
			return true
		}
	}
	return false
}

// mostLost is the share of the goldens that one rewrite may lose.
const mostLost = 0.04

// TestRewrites holds the reader to what a text means: a rewrite that keeps the meaning
// loses next to nothing, one that turns it round leaves next to nothing.
func TestRewrites(t *testing.T) {
	var all []map[string]any
	for _, id := range []string{"SEC-001", "SEC-002", "SEC-003", "SEC-006"} {
		for _, doc := range bads(t, id) {
			if found(t, doc) {
				all = append(all, doc)
			}
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d bad items are found: the test is broken", len(all))
	}
	for _, w := range keeping {
		lost := 0
		for _, doc := range all {
			if !found(t, rewritten(doc, w.of)) {
				lost++
				t.Logf("%s loses %v", w.name, doc["tools"].([]any)[0])
			}
		}
		t.Logf("%s: %d of %d lost", w.name, lost, len(all))
		if float64(lost) > mostLost*float64(len(all)) {
			t.Errorf("%s: %d of %d lost, at most %.0f %% may be", w.name, lost, len(all), 100*mostLost)
		}
	}
	for _, w := range turning {
		left := 0
		for _, doc := range all {
			tool, _ := doc["tools"].([]any)[0].(map[string]any)
			text, _ := tool["description"].(string)
			honest := map[string]any{"tools": []any{map[string]any{"name": "scan", "description": w.of(text), "inputSchema": map[string]any{"type": "object"}}}}
			if found(t, honest) {
				left++
				t.Logf("%s leaves %q", w.name, text)
			}
		}
		t.Logf("%s: %d of %d left", w.name, left, len(all))
		if float64(left) > 0.1*float64(len(all)) {
			t.Errorf("%s: %d of %d still fire", w.name, left, len(all))
		}
	}
}
