package calibration

import (
	"slices"
	"strings"
	"testing"

	"gauntlet/calibrate"
	"gauntlet/capability"
)

// The page has every section of the Markdown, with the names of strangers as they are.
func TestPageHasEverySection(t *testing.T) {
	score := &calibrate.Score{TagErrors: []calibrate.Error{{Server: "a|b", Tool: "x_<script>alert(1)</script>", Said: "exec", Confidence: capability.High, Evidence: []string{"name:x"}}}}
	r := &calibrate.Run{All: score, Nameless: score, Unseen: score, Folds: 3, Corpus: []calibrate.Entry{{Server: "a|b", Family: "f"}}}
	var markdown, html strings.Builder
	if err := r.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	p := pageOf(markdown.String())
	var titles []string
	for _, table := range p.Tables {
		titles = append(titles, table.Title)
	}
	for line := range strings.Lines(markdown.String()) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok && !slices.Contains(titles, title) {
			t.Errorf("no section %q among %q", title, titles)
		}
	}
	wrong := p.Tables[slices.Index(titles, "Wrong and missing labels")]
	if want := []string{"a|b", "x_<script>alert(1)</script>", "exec", "", "high", "name:x"}; len(wrong.Rows) != 1 || !slices.Equal(wrong.Rows[0], want) {
		t.Errorf("rows %q, want %q", wrong.Rows, want)
	}
	if err := writePage(&html, r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(html.String(), "<script>alert") || !strings.Contains(html.String(), "&lt;script&gt;alert") {
		t.Error("a name is no text in the page")
	}
}
