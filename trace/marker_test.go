package trace

import (
	"errors"
	"io"
	"strings"
	"testing"
)

const head11 = `{"format":"gauntlet-trace","version":"1.1","tool":"t"}` + "\n"

func message(seq string) string {
	return `{"seq":` + seq + `,"direction":"to_server","kind":"request","raw":"{}"}` + "\n"
}

// A trace that is not whole says so, whatever is missing.
func TestEndOfATrace(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"whole", head11 + message("1") + `{"end":{"messages":1}}`, ""},
		{"whole and empty", head11 + `{"end":{"messages":0}}`, ""},
		{"empty lines behind the end", head11 + `{"end":{"messages":0}}` + "\n\n \n", ""},
		{"1.0 owes no end", head + message("1"), ""},
		{"1.0 with an end", head + message("1") + `{"end":{"messages":1}}`, ""},
		{"cut behind a line", head11 + message("1"), "has no end"},
		{"cut behind the header", head11, "has no end"},
		{"a later version owes one too", strings.Replace(head11, "1.1", "1.12", 1), "has no end"},
		{"a version that is no number owes one", strings.Replace(head11, "1.1", "1.", 1), "has no end"},
		{"a line taken out", head11 + message("2") + `{"end":{"messages":2}}`, "ends with 2 messages and has 1"},
		{"a line put in", head11 + message("1") + message("2") + `{"end":{"messages":1}}`, "ends with 1 messages and has 2"},
		{"a message behind the end", head11 + `{"end":{"messages":0}}` + "\n" + message("1"), "behind the end"},
		{"two ends", head11 + `{"end":{"messages":0}}` + "\n" + `{"end":{"messages":0}}`, "behind the end"},
		{"lost", head11 + `{"end":{"messages":0,"lost":3,"why":"no space"}}`, `3 messages were not recorded: "no space"`},
		{"a gap", head11 + `{"gap":{"lost":3,"why":"no space"}}` + "\n" + `{"end":{"messages":0}}`, `not recorded here: 3, "no space"`},
		{"a gap of 1.0", head + `{"gap":{}}`, `not recorded here: 1`},
		{"a trace that goes on where nobody can read", head11 + `{"end":{"messages":0,"next":"b"}}`, "only one file was given"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Read(strings.NewReader(tt.text), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			for _, p := range got.Problems {
				all.WriteString(p.Msg + "\n")
			}
			if (tt.want == "") != (got.Unread == 0) || !strings.Contains(all.String(), tt.want) {
				t.Errorf("%d problems %q, want %q", got.Unread, all.String(), tt.want)
			}
		})
	}
}

// A trace of several files is one trace: numbers and answers go on, and each message is found
// in its file.
func TestTraceOfSeveralFiles(t *testing.T) {
	part := func(n string) string { return strings.Replace(head11, `"tool":"t"`, `"tool":"t","part":`+n, 1) }
	files := map[string]string{
		"b":  part("2") + message("3") + `{"end":{"messages":1,"next":"c"}}`,
		"c":  part("3") + message("4") + message("5") + `{"end":{"messages":2}}`,
		"no": message("3"),
		"4":  part("4") + `{"end":{"messages":0}}`,
		"a":  part("2") + `{"end":{"messages":0,"next":"b"}}`,
	}
	open := func(name string) (io.ReadCloser, error) {
		text, ok := files[name]
		if !ok {
			return nil, errors.New("no such file")
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
	first := head11 + message("1") + message("2") + `{"end":{"messages":2,"next":"b"}}`
	got, err := ReadParts(strings.NewReader(first), Limits{}, open)
	if err != nil || got.Unread != 0 || len(got.Messages) != 5 {
		t.Fatalf("%v, %d messages, %v", err, len(got.Messages), got.Problems)
	}
	for i, want := range []struct {
		file string
		line int
	}{{"", 2}, {"", 3}, {"b", 2}, {"c", 2}, {"c", 3}} {
		if got.FileOf(i) != want.file || got.Lines[i] != want.line {
			t.Errorf("message %d stands in %q:%d, want %q:%d", i+1, got.FileOf(i), got.Lines[i], want.file, want.line)
		}
	}
	for next, want := range map[string]string{
		"gone": "no such file", "../b": "no name of a file", `x\\b`: "no name of a file", "..": "no name of a file",
		"no": "does not say", "4": "it is part 4 of a trace, not part 2",
	} {
		text := head11 + `{"end":{"messages":0,"next":"` + next + `"}}`
		got, err := ReadParts(strings.NewReader(text), Limits{}, open)
		if err != nil || got.Unread != 1 || !strings.Contains(got.Problems[0].Msg, want) {
			t.Errorf("next %q: %v, %v, want %q", next, err, got.Problems, want)
		}
	}
	if _, err := ReadParts(strings.NewReader(first), Limits{Messages: 4}, open); err == nil || !strings.Contains(err.Error(), "more than 4 messages") {
		t.Errorf("five messages in three files with a limit of four: %v", err)
	}
	// Files that name each other in a circle end, since their parts are numbered.
	if got, err := ReadParts(strings.NewReader(head11+`{"end":{"messages":0,"next":"a"}}`), Limits{}, func(string) (io.ReadCloser, error) { return open("a") }); err != nil || got.Unread != 1 {
		t.Errorf("a circle: %v, %v", err, got.Problems)
	}
}

func TestNothingIsWrittenBehindTheEnd(t *testing.T) {
	var b strings.Builder
	w, err := NewWriterOf(&b, Header{Tool: "t", Part: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Gap(2, "no space"), w.End(End{Lost: 2, Why: "no space", Next: "c"})); err != nil {
		t.Fatal(err)
	}
	m := full()
	if w.Write(&m) == nil || w.Gap(1, "") == nil || w.End(End{}) == nil {
		t.Error("something was written behind the end")
	}
	for line := range strings.Lines(b.String()) {
		if err := validate(t, line); err != nil {
			t.Errorf("%v in %s", err, line)
		}
	}
	if n := strings.Count(b.String(), "\n"); n != 3 {
		t.Errorf("%d lines, want 3:\n%s", n, b.String())
	}
}
