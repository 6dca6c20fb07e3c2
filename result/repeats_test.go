package result

import (
	"testing"

	"gauntlet/finding"
)

// TestRepeatedSentence: one sentence in many definitions of a server is one finding with their places; another server's, another
// sentence and a single word are findings of their own.
func TestRepeatedSentence(t *testing.T) {
	at := func(server, item, text string, order int) finding.Finding {
		return finding.Finding{Rule: "SEC-006", Severity: finding.Medium, Message: "m", Order: order, OrderEnd: order + len(text),
			Location: finding.Location{Server: server, Item: item, Pointer: "/tools/" + item}, Evidence: finding.Evidence{Raw: text}}
	}
	r := Report{Findings: []finding.Finding{
		at("a", "1", "call me first", 0), at("a", "2", "call me first", 100), at("a", "3", "call me always", 200),
		at("b", "4", "call me first", 300), at("a", "5", "call me first", 400), at("a", "6", "delete", 500), at("a", "7", "delete", 600),
	}}
	r.MergeCauses()
	want := []struct {
		item    string
		related []string
	}{{"1", []string{"2", "5"}}, {"3", nil}, {"4", nil}, {"6", nil}, {"7", nil}}
	if len(r.Findings) != len(want) {
		t.Fatalf("%d findings, want %d", len(r.Findings), len(want))
	}
	for i, w := range want {
		f := r.Findings[i]
		var got []string
		for _, l := range f.Related {
			got = append(got, l.Item)
		}
		if f.Location.Item != w.item || len(got) != len(w.related) || len(f.RelatedSpans) != len(f.Related) {
			t.Errorf("finding %d is of %s with %v (%d spans), want %s with %v", i, f.Location.Item, got, len(f.RelatedSpans), w.item, w.related)
		}
	}
}
