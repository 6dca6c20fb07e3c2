package proberun

import (
	"strconv"
	"strings"
	"testing"

	"gauntlet/internal/engine/schemafill"
)

func errorResult(text string) Answer {
	return ReadResult(`{"isError":true,"content":[{"type":"text","text":` + strconv.Quote(text) + `}]}`)
}

// What decides whether a payload was delivered, in its order: an end, silence, a result; then of an error its method, validation,
// another parameter, and that it comes for every value. Every pair is tried with both true.
func TestPrecedenceOfDelivery(t *testing.T) {
	schema := schemafill.Parse(`{"properties":{"path":{"type":"string"},"mode":{"type":"string"}},"required":["path","mode"]}`)
	const validation, other = "Input validation error: 'path' does not match", "mode: pick another"
	same := func(a Answer) Ordinary { return Ordinary{Value: "ordinary1", Answer: a} }
	code := func(code int64, text string) Answer { return ReadError(code, text, "") }
	for _, tt := range []struct {
		name                string
		answer              Answer
		ordinary            Ordinary
		delivered, answered bool
		why                 string
	}{
		{"the end goes before silence", Answer{Gone: true}, Ordinary{}, true, false, "the server ended"},
		{"the end goes before an answer", Answer{Gone: true, Came: true}, Ordinary{}, true, false, "the server ended"},
		{"silence goes before an error", Answer{Failed: true, Code: methodNotFound}, Ordinary{}, true, false, "no answer in time"},
		{"a result goes before what it says", Answer{Came: true, Code: invalidParams, Text: validation}, Ordinary{}, true, true, ""},
		{"the method goes before validation", code(methodNotFound, validation), Ordinary{}, false, false, "the server does not know the method"},
		{"the code goes before another parameter", code(invalidParams, other), Ordinary{}, false, false, "refused by validation: " + other},
		{"validation goes before the same error", errorResult(validation), same(errorResult(validation)), false, false, "refused by validation: " + validation},
		{"another parameter goes before the same error", errorResult(other), same(errorResult(other)), false, false, "another parameter is wrong: " + other},
		{"the parameter itself", errorResult("path: pick another"), Ordinary{}, true, true, ""},
		{"the same error", errorResult("log in"), same(errorResult("log in")), false, false, "the same error with an ordinary value: log in"},
		{"the same words of a result", errorResult("log in"), same(Answer{Came: true, Text: errorResult("log in").Text}), true, true, ""},
		{"the same words that never came", errorResult("log in"), same(Answer{Failed: true, Text: errorResult("log in").Text}), true, true, ""},
		{"another code", code(-32000, "no"), Ordinary{}, true, true, ""},
		{"no error at all, no ordinary value", errorResult("no"), Ordinary{}, true, true, ""},
	} {
		d := ReadDelivery(schema, "path", "/etc/x", tt.answer, tt.ordinary)
		if d.Delivered != tt.delivered || d.Answered != tt.answered || d.Why != tt.why {
			t.Errorf("%s: delivered %t, answered %t, %q, want %t, %t, %q", tt.name, d.Delivered, d.Answered, d.Why, tt.delivered, tt.answered, tt.why)
		}
	}
}

// Of an answer maxText bytes are read, of its raw form twice that; what is cut says no less than it does.
func TestBoundsOfAnswers(t *testing.T) {
	if a := ReadError(7, strings.Repeat("x", maxText+1), `{"why":"y","n":5,"ok":true}`); len(a.Text) != maxText+len("\ny\n5\n") || !strings.HasSuffix(a.Text, "x\ny\n5\n") || a.Code != 7 || !a.Failed || !a.Came || a.Started || a.Raw != "" {
		t.Errorf("an error of %d bytes, code %d, %+v", len(a.Text), a.Code, a.Failed)
	}
	if a := ReadError(7, "m", ""); a.Text != "m" {
		t.Errorf("an error without data: %q", a.Text)
	}
	a := ReadResult(`{"a":"x","b":[1.50,{"type":"text","text":"y"}],"c":null}`)
	if a.Text != "x\n1.50\ny\n" || a.Raw != `{"a":"x","b":[1.50,{"type":"text","text":"y"}],"c":null}` || a.Failed {
		t.Errorf("%q of %s, failed %t", a.Text, a.Raw, a.Failed)
	}
	if a := ReadResult(strings.Repeat("x", 2*maxText+1)); len(a.Raw) != 2*maxText || len(a.Text) != maxText {
		t.Errorf("no JSON: %d bytes raw, %d of text", len(a.Raw), len(a.Text))
	}
	if a := ReadResult(`{"a":[` + strings.Repeat(`"`+strings.Repeat("y", 1023)+`",`, 1500) + `"last"]}`); len(a.Text) != maxText+1024 {
		t.Errorf("many strings: %d bytes of text, want the first beyond the bound to be the last", len(a.Text))
	}
	if a := ReadResult(" \n Error: no"); !a.Failed {
		t.Error("white space hides what a text begins with")
	}
	if a := ReadResult(`{"isError":true}`); !a.Failed {
		t.Error("isError is not read")
	}
}

// Excerpts and reasons are cut at their length and not before, and never within a character.
func TestCutTexts(t *testing.T) {
	for n, want := range map[int]string{160: strings.Repeat("x", 160), 161: strings.Repeat("x", 160) + "…"} {
		if got := firstLine(strings.Repeat("x", n) + "\nmore"); got != want {
			t.Errorf("a line of %d bytes: %d are left", n, len(got))
		}
	}
	if got := firstLine(strings.Repeat("x", 159) + "é and more"); got != strings.Repeat("x", 159)+"…" {
		t.Errorf("cut within a character: %q", got[150:])
	}
	for n, want := range map[int]string{400: strings.Repeat("x", 400), 401: strings.Repeat("x", 400) + "…"} {
		if got := Excerpt(strings.Repeat("x", n), ""); got != want {
			t.Errorf("an excerpt of %d bytes: %d are left", n, len(got))
		}
	}
	if got := Excerpt(" before $(id)#1234 behind ", "$(id)#1234"); got != "before [payload] behind" {
		t.Errorf("%q", got)
	}
}

// A payload of three bytes is taken out as it stands, one of four in whatever encoding; an empty one takes out nothing.
func TestStrip(t *testing.T) {
	for _, tt := range []struct{ text, payload, want string }{
		{"a ';- b", "';-", "a  b"}, {"a %27%3B%2D b", "';-", "a %27%3B%2D b"}, {"a x';- b", "x';-", "a [payload] b"}, {"a x%27%3B%2D b", "x';-", "a [payload] b"}, {"a b", "", "a b"},
	} {
		if got := Strip(tt.text, tt.payload); got != tt.want {
			t.Errorf("%q without %q: %q, want %q", tt.text, tt.payload, got, tt.want)
		}
	}
}

// A product counts as a number of its own with any mark between its thousands, at either end of the text, and not within the payload.
func TestMarksOfProducts(t *testing.T) {
	const a, b = 123457, 765433 // 94498061881
	for text, want := range map[string]bool{
		"94498061881": true, "94,498,061,881": true, "94_498_061_881": true, "94'498'061'881": true, "94\u202f498\u202f061\u202f881": true, "94\u00a0498\u00a0061\u00a0881": true,
		"94.498.061.881": false, "994498061881": false, "944980618819": false, "x94498061881y": true, "9449806188": false, "094498061881": false,
		"1,94498061881": true, "94498061881,5": true,
	} {
		if got := HoldsNumber(text, "{{7*7}}", a*b); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
	if HoldsNumber("it is 94498061881", "94498061881", a*b) {
		t.Error("the payload itself is taken for its product")
	}
	if !standsAlone("1515 15", "15") || standsAlone("1515", "15") || !standsAlone("115 15", "15") || standsAlone("/150:", "15") || !standsAlone("/15:", "15") {
		t.Error("a number of its own is found where another one stands before it, and not within one")
	}
}

// Two errors are no proof that nobody looked if they repeat an ordinary value, which from four bytes on is no accident.
func TestShortOrdinaryValues(t *testing.T) {
	for value, want := range map[string]bool{"abc": true, "abcd": false, "zzzz": true, "": true} {
		o := Ordinary{Value: value, Answer: Answer{Text: "no abcd"}}
		if got := sameError("no abcd", "$(id)#1234", o); got != want {
			t.Errorf("%q: %t, want %t", value, got, want)
		}
	}
}

// What an answer hands out: each value once, none too long or empty, and no more than mostHanded.
func TestBoundsOfHandedValues(t *testing.T) {
	values := func(text string) (out []string) {
		for _, h := range ReadHanded(text) {
			out = append(out, h.Value)
		}
		return out
	}
	for n, want := range map[int]int{200: 1, 201: 0} {
		if got := values(`{"id":"` + strings.Repeat("é", n/2) + strings.Repeat("x", n%2) + `"}`); len(got) != want {
			t.Errorf("a value of %d bytes: %d taken, want %d", n, len(got), want)
		}
	}
	many := `{"ids":[`
	for i := range mostHanded + 5 {
		many += `{"id":"v` + strconv.Itoa(i) + `"},`
	}
	if got := values(many + `{"id":""}]}`); len(got) != mostHanded || got[0] != "v0" || got[mostHanded-1] != "v"+strconv.Itoa(mostHanded-1) {
		t.Errorf("%d values, want the first %d", len(got), mostHanded)
	}
	if got := values(`{"id":"a-b","key":"a-b","ref":"c-d","name":""}`); strings.Join(got, " ") != "a-b c-d" {
		t.Errorf("%q, want each value once", got)
	}
	if got := values("see #12 or #12345678901"); strings.Join(got, " ") != "12" {
		t.Errorf("numbers behind a mark: %q", got)
	}
	if got := values(strings.Repeat(".", 64<<10) + " id: late"); got != nil {
		t.Errorf("%q stands behind what is read", got)
	}
}

// How well a value fits a parameter, each rank beside the one above and below it.
func TestRanksOfFit(t *testing.T) {
	for _, tt := range []struct {
		parameter, name, tool string
		want                  int
	}{
		{"note-book_id", "NotebookID", "x", 5}, {"id", "id", "x", 3}, {"key", "key", "x", 3}, {"id", "", "x", 1}, {"id", "key", "x", 0},
		{"notebook_id", "id", "makeNotebooks", 4}, {"notebooks_id", "id", "make_notebook", 4}, {"notebook_id", "id", "make_page", 0},
		{"notebook_id", "", "make_notebook", 2}, {"notebook_id", "", "make_page", 0}, {"notebook_id", "page_id", "make_notebook", 1}, {"notebook_id", "page_key", "make_notebook", 0},
		{"db_id", "id", "x", 3}, {"dbx_id", "id", "x", 0}, {"", "id", "x", 0},
	} {
		if got := Fit(tt.parameter, Handed{Name: tt.name, Value: "v"}, tt.tool); got != tt.want {
			t.Errorf("Fit(%q, %q, %q) = %d, want %d", tt.parameter, tt.name, tt.tool, got, tt.want)
		}
	}
	for name, want := range map[string]bool{"notebook_id": true, "ID": true, "slug": true, "idea": false, "id_list": false, "": false, "user_name": true, "a_b_c_d_e_f_g_h_id": false} {
		if got := NamesThing(name); got != want {
			t.Errorf("%s names a thing: %t, want %t", name, got, want)
		}
	}
}

// An answer that says that something is absent does so in its first 4096 bytes, and only if it came.
func TestSaysAbsentBounds(t *testing.T) {
	for _, tt := range []struct {
		a    Answer
		want bool
	}{
		{Answer{Came: true, Text: "Note not found"}, true}, {Answer{Text: "Note not found"}, false}, {Answer{Came: true, Text: "found"}, false},
		{Answer{Came: true, Text: strings.Repeat(" ", 4096-9) + "not found"}, true}, {Answer{Came: true, Text: strings.Repeat(" ", 4096-8) + "not found"}, false},
	} {
		if got := SaysAbsent(tt.a); got != tt.want {
			t.Errorf("%.20q of %d bytes: %t, want %t", tt.a.Text, len(tt.a.Text), got, tt.want)
		}
	}
}
