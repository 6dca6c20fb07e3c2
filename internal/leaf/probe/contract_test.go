package probe

import (
	"errors"
	"slices"
	"testing"
)

// Nothing is resisted that was not delivered, and no more is answered than was delivered.
func TestResist(t *testing.T) {
	for _, tt := range []struct {
		delivered, answered int
		want                Outcome
	}{
		{-1, 0, NotDelivered.Because("why")},
		{0, 3, NotDelivered.Because("why")},
		{1, 0, Outcome{Ending: Resisted, Delivered: 1}},
		{1, 1, Outcome{Ending: Resisted, Delivered: 1, Answered: 1}},
		{2, 3, Outcome{Ending: Resisted, Delivered: 2, Answered: 2}},
		{3, 2, Outcome{Ending: Resisted, Delivered: 3, Answered: 2}},
	} {
		got := Resist(tt.delivered, tt.answered, "why")
		if got != tt.want {
			t.Errorf("%d delivered, %d answered: %+v, want %+v", tt.delivered, tt.answered, got, tt.want)
		}
	}
}

// Only documents of the kind that came with status 200 were found.
func TestFound(t *testing.T) {
	a := Authorization{Documents: []Document{
		{Kind: ServerMetadata, URL: "1", Status: 200}, {Kind: ResourceMetadata, URL: "2", Status: 200}, {Kind: ServerMetadata, URL: "3", Status: 404},
		{Kind: ServerMetadata, URL: "4", Status: 201}, {Kind: ServerMetadata, URL: "5"}, {Kind: ServerMetadata, URL: "6", Status: 200},
	}}
	for kind, want := range map[MetadataKind][]string{ServerMetadata: {"1", "6"}, ResourceMetadata: {"2"}, "another": nil} {
		var got []string
		for _, d := range a.Found(kind) {
			got = append(got, d.URL)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: found %q, want %q", kind, got, want)
		}
	}
}

func TestNoteAsking(t *testing.T) {
	c := new(Contact)
	c.NoteAsking(nil, false)
	c.NoteAsking(nil, true)
	c.NoteAsking(errors.New("no answer"), true)
	if c.Asked != 2 || c.Differed != 1 {
		t.Errorf("asked %d, differed %d, want 2 and 1", c.Asked, c.Differed)
	}
	(*Contact)(nil).NoteAsking(nil, true)
}

// An exchange is found by its probe and its step, and it is the record's own.
func TestFind(t *testing.T) {
	p := Protocol{Exchanges: []Exchange{{ID: "P01"}, {ID: "P02", Step: "a"}, {ID: "P02", Step: "b"}, {ID: "P02", Step: "b"}}}
	for _, tt := range []struct {
		id, step string
		want     *Exchange
	}{{"P01", "", &p.Exchanges[0]}, {"P02", "a", &p.Exchanges[1]}, {"P02", "b", &p.Exchanges[2]}, {"P02", "", nil}, {"P03", "a", nil}, {"P01", "a", nil}} {
		if got := p.Find(tt.id, tt.step); got != tt.want {
			t.Errorf("%s %q: %v, want %v", tt.id, tt.step, got, tt.want)
		}
	}
}

func TestClassesAreListedOnce(t *testing.T) {
	all := Classes()
	if sorted := slices.Compact(slices.Sorted(slices.Values(all))); len(sorted) != len(all) || sorted[0] == "" {
		t.Errorf("classes %q", all)
	}
}

// What every answer has of its own does not tell that a tool looked at what it was given.
func TestIgnores(t *testing.T) {
	for _, tt := range []struct {
		name, attacked, ordinary, again string
		want                            bool
	}{
		{"one answer", "401 invalid api key", "401 invalid api key", "401 invalid api key", true},
		{"a request's id", "error 500 (request 8f3a)", "error 500 (request 77c1)", "error 500 (request 0d2e)", true},
		{"a request's id without digits", "error 500 (request kqzw)", "error 500 (request abcd)", "error 500 (request ponm)", true},
		{"an id in an object", `{"error":"down","id":"kq-zw"}`, `{"error":"down","id":"ab-cd"}`, `{"error":"down","id":"po-nm"}`, true},
		{"another answer in an object", `{"error":"outside","id":"kq-zw"}`, `{"error":"down","id":"ab-cd"}`, `{"error":"down","id":"po-nm"}`, false},
		{"a word that follows the value", "found tea", "found milk", "found milk", false},
		{"more than the id", "error 500 (request kqzw) in the folder", "error 500 (request abcd)", "error 500 (request ponm)", false},
		{"the time", "2026-01-02T10:00:00Z down", "2026-01-02T10:00:01Z down", "2026-01-02T10:00:02Z down", true},
		{"a number that follows the value", "the sum is 42", "the sum is 43", "the sum is 43", false},
		{"another answer", "outside of the folder", "hello", "hello", false},
		{"another answer with an id", "outside (request 8f3a)", "hello (request 77c1)", "hello (request 0d2e)", false},
		{"nothing but numbers", "42", "17", "3", false},
	} {
		if got := Ignores(tt.attacked, tt.ordinary, tt.again); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
