package policy

import (
	"errors"
	"strings"
	"testing"

	"gauntlet/finding"
)

var newEntry = Entry{
	Fingerprint: "ffffffffffffffffffffffffffffffff", Rule: "SEC-002", Content: content1, Definition: "server s, tool \u202et\x1b",
	Reason: "a \"quoted\" # reason: with\nlines \U000E0041 日本", Owner: "kim", Expires: "2027-01-31",
}

// written is newEntry as it stands in a file, with hidden characters for all to see.
const written = `- fingerprint: "ffffffffffffffffffffffffffffffff"
  rule: "SEC-002"
  definition: "server s, tool \u202Et\u001B"
  reason: "a \"quoted\" # reason: with\nlines \U000E0041 日本"
  owner: "kim"
  expires: "2027-01-31"
  content_hash: "1111111111111111111111111111111111111111111111111111111111111111"
`

// by is written, each line behind some blanks.
func by(blanks string) string {
	return blanks + strings.ReplaceAll(strings.TrimSuffix(written, "\n"), "\n", "\n"+blanks) + "\n"
}

func TestAdd(t *testing.T) {
	one := fields(print2, "SEC-003", "fine", content2, "")
	for _, tt := range []struct{ name, text, want string }{
		{"no file", "", "suppressions:\n" + by("  ")},
		{"comments only", "# ours\n", "# ours\nsuppressions:\n" + by("  ")},
		{"no list", "version: 1\n", "version: 1\nsuppressions:\n" + by("  ")},
		{"no list and no end of line", "version: 1", "version: 1\nsuppressions:\n" + by("  ")},
		{"nothing in the list", "suppressions: # none\n# end\n", "suppressions: # none\n" + by("  ") + "# end\n"},
		{"an empty list in brackets", "suppressions: [] # none\nversion: 1\n", "suppressions:  # none\n" + by("  ") + "version: 1\n"},
		{"behind the last", "suppressions:\n" + one, "suppressions:\n" + one + by("  ")},
		{"behind the last, no end of line", "suppressions:\n" + strings.TrimSuffix(one, "\n"), "suppressions:\n" + one + by("  ")},
		{"in front of what follows", "suppressions:\n" + one + "\n# end\nversion: 1\n", "suppressions:\n" + one + by("  ") + "\n# end\nversion: 1\n"},
		{"without indentation", "suppressions:\n" + strings.ReplaceAll(one[2:], "\n  ", "\n"), "suppressions:\n" + strings.ReplaceAll(one[2:], "\n  ", "\n") + by("")},
		{"behind text of several lines", "suppressions:\n" + fields(print2, "SEC-003", "x", content2, "    owner: |\n      a\n\n      b\n") + "# end\n",
			"suppressions:\n" + fields(print2, "SEC-003", "x", content2, "    owner: |\n      a\n\n      b\n") + by("  ") + "# end\n"},
		{"as people write", twoEntries, strings.Replace(twoEntries, "22ab}\n      # a tail\n", "22ab}\n      # a tail\n"+by("    "), 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := Add(tt.text, newEntry); err != nil || got != tt.want {
				t.Errorf("error %v, got\n%s\nwant\n%s", err, got, tt.want)
			}
		})
	}
}

// A decision that is renewed stands where it stood; comments of their own lines stay.
func TestAddRenews(t *testing.T) {
	old := fields(newEntry.Fingerprint, "SEC-002", "old", content2, "    # asked in the meeting\n    owner: lee # once\n")
	other := fields(print2, "SEC-003", "fine", content2, "")
	got, err := Add("suppressions:\n"+old+"\n  # about the other\n"+other, newEntry, 2)
	if want := "suppressions:\n" + by("  ") + "    # asked in the meeting\n\n  # about the other\n" + other; err != nil || got != want {
		t.Errorf("error %v, got\n%s\nwant\n%s", err, got, want)
	}
	// The same once more changes nothing; another reason alone is a renewal, too.
	if again, err := Add(got, newEntry); err != nil || again != got {
		t.Errorf("error %v, got\n%s\nwant\n%s", err, again, got)
	}
	e := newEntry
	e.Reason = "better"
	if p, err := Add(got, e); err != nil || strings.Count(p, "ffffffff") != strings.Count(got, "ffffffff") || !strings.Contains(p, `reason: "better"`) {
		t.Errorf("error %v, got\n%s", err, p)
	}
}

func TestAddRefuses(t *testing.T) {
	one := "[{fingerprint: " + print2 + ", rule: SEC-003, reason: x, content_hash: " + content2 + "}]"
	for _, tt := range []struct{ name, text, want string }{
		{"a list in brackets", "suppressions: " + one + "\n", ErrShape.Error()},
		{"a mapping in braces", "{version: 1}\n", ErrShape.Error()},
		{"a broken policy", "version: 1\nx: y\n", "line 2: suppressions: unknown key"},
		{"a policy with a broken entry", "suppressions:\n  - {}\n", "line 2:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := Add(tt.text, newEntry); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q and error %v, want one with %q", got, err, tt.want)
			}
		})
	}
	for _, e := range []Entry{{}, {Fingerprint: print1, Rule: "SEC-001", Content: content1}} {
		if got, err := Add("", e); err == nil || errors.Is(err, ErrShape) {
			t.Errorf("%+v is added as %q with error %v, want a refusal that names the fault", e, got, err)
		}
	}
}

// FuzzAdd: whatever the file, Add refuses it or adds exactly the one entry, and reading
// never reports fewer entries without a problem.
func FuzzAdd(f *testing.F) {
	for _, s := range []string{"", "# x\n", twoEntries, "suppressions: []", "suppressions:\n" + written, "suppressions:\n- - a", "version: 1\r\nsuppressions:\r\n" + by("  "), "--- \nversion: 1\n...\n"} {
		f.Add(s, "reason")
	}
	f.Fuzz(func(t *testing.T, text, reason string) {
		before, problems := Parse("p", text)
		e := Entry{Fingerprint: print1, Rule: finding.Rule("SEC-001"), Content: content2, Reason: reason}
		out, err := Add(text, e)
		if err != nil {
			return
		}
		after, more := Parse("p", out)
		if len(problems)+len(more) > 0 {
			t.Fatalf("a policy with problems %v and %v was extended:\n%s", problems, more, out)
		}
		if n := len(after.Entries) - len(before.Entries); n != 0 && n != 1 {
			t.Fatalf("%d entries became %d", len(before.Entries), len(after.Entries))
		}
		found := false
		for _, a := range after.Entries {
			found = found || a.Fingerprint == print1 && a.Content == content2 && a.Reason == reason
		}
		if !found {
			t.Fatalf("the entry with the reason %q is not in\n%s", reason, out)
		}
	})
}
