package proberun

import (
	"slices"
	"strings"
	"testing"
)

func TestReadHanded(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []Handed
	}{
		{"a member", `{"id":"b1f4","title":"Travels"}`, []Handed{{"id", "b1f4"}}},
		{"members of a list", `[{"issueKey":"AB-7"},{"issueKey":"AB-8"}]`, []Handed{{"issueKey", "AB-7"}, {"issueKey", "AB-8"}}},
		{"a number", `{"order_id":41,"total":12}`, []Handed{{"order_id", "41"}}},
		{"a sentence with a word for it", "Created the draft, id: mtx9", []Handed{{"", "mtx9"}}},
		{"a form that no word has", "Registered webhook wh_4107 for shipping", []Handed{{"", "wh_4107"}}},
		{"a UUID", "ready: 5d0083e0-7551-46de-abd7-0741894d34b7", []Handed{{"", "5d0083e0-7551-46de-abd7-0741894d34b7"}}},
		{"a sentence without one", "All is well.", nil},
		{"members that name nothing", `{"status":"ok","width":100}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ReadHanded(tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("%q: got %+v, want %+v", tt.text, got, tt.want)
			}
		})
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		parameter string
		handed    Handed
		tool      string
		want      int
	}{
		{"notebook_id", Handed{"notebookId", "x"}, "list_all", 5},
		{"notebook_id", Handed{"id", "x"}, "create_notebook", 4},
		{"notebookId", Handed{"id", "x"}, "list_notebooks", 4},
		{"id", Handed{"id", "x"}, "create_notebook", 3},
		{"webhook_id", Handed{"", "wh_1"}, "register_webhook", 2},
		{"notebook_id", Handed{"id", "x"}, "create_page", 0},
		{"notebook_id", Handed{"author_id", "x"}, "create_notebook", 1},
		{"notebook_id", Handed{"name", "x"}, "create_notebook", 0},
	} {
		if got := Fit(tt.parameter, tt.handed, tt.tool); got != tt.want {
			t.Errorf("Fit(%q, %+v, %q) = %d, want %d", tt.parameter, tt.handed, tt.tool, got, tt.want)
		}
	}
}

// FuzzReadHanded: what is handed out stands in the answer, each value once, and it is not much.
func FuzzReadHanded(f *testing.F) {
	f.Add(`{"id":"b1f4","items":[{"key":7}]}`)
	f.Add("Registered webhook wh_4107, token: abc #12")
	f.Fuzz(func(t *testing.T, text string) {
		got := ReadHanded(text)
		if len(got) > mostHanded {
			t.Fatalf("%d values", len(got))
		}
		for i, h := range got {
			if h.Name == "" && !strings.Contains(text, h.Value) {
				t.Fatalf("%q does not stand in %q", h.Value, text)
			}
			if slices.ContainsFunc(got[:i], func(o Handed) bool { return o.Value == h.Value }) {
				t.Fatalf("%q twice", h.Value)
			}
		}
	})
}

// Only an answer that came can say that something is not there.
func TestSaysAbsent(t *testing.T) {
	for _, tt := range []struct {
		answer Answer
		want   bool
	}{
		{Answer{Came: true, Text: "Note 41 not found"}, true},
		{Answer{Came: true, Text: "unknown id"}, true},
		{Answer{Came: true, Text: "no note with this number"}, true},
		{Answer{Came: true, Text: "The handle has expired."}, true},
		{Answer{Came: true, Text: "deleted"}, false},
		{Answer{Came: true, Text: "note found"}, false},
		{Answer{Text: "not found"}, false},
		{Answer{Gone: true, Text: "not found"}, false},
		{Answer{Came: true, Text: strings.Repeat("x ", 4<<10) + "not found"}, false}, // too far behind
	} {
		if got := SaysAbsent(tt.answer); got != tt.want {
			t.Errorf("%.60q, came %t: %t, want %t", tt.answer.Text, tt.answer.Came, got, tt.want)
		}
	}
}
