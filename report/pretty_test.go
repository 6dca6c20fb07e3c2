package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"gauntlet/finding"
	"gauntlet/rawjson"
	"gauntlet/result"
)

var colours = regexp.MustCompile("\x1b\\[[0-9;]+m")

// mustBeCalm fails if a page has any character that a terminal obeys or hides, save
// newlines and, if color, our own colour codes.
func mustBeCalm(t testing.TB, page string, color bool) {
	t.Helper()
	if color {
		page = colours.ReplaceAllString(page, "")
	}
	for i, r := range page {
		if r != '\n' && rawjson.Hidden(r) || r != '\n' && unicode.IsControl(r) {
			t.Fatalf("%U at byte %d of:\n%q", r, i, page)
		}
	}
}

// mustFit fails if a line is wider than asked for: a terminal would go on in its first
// column, and a server could choose what stands there. Without a terminal there is no width.
func mustFit(t testing.TB, page string, width int) {
	t.Helper()
	if width == 0 {
		return
	}
	lines := strings.Split(strings.TrimSuffix(colours.ReplaceAllString(page, ""), "\n"), "\n")
	for _, line := range lines[:len(lines)-1] { // the sum, which holds our own words alone, stays on one line
		if got := columns(line); got > max(width, minWidth) {
			t.Errorf("%d columns, want at most %d: %q", got, max(width, minWidth), line)
		}
	}
}

func TestPrettyHasNoForeignControlCharacters(t *testing.T) {
	for _, opt := range []Options{{}, {Color: true, Width: 80, Height: 24}, {Width: 1}, {Width: 200}, {Verbose: true, Width: 1}, {Verbose: true, Width: 120}} {
		page := render(t, "pretty", full(), opt)
		mustBeCalm(t, page, opt.Color)
		mustFit(t, page, opt.Width)
	}
}

func TestColourChangesNoText(t *testing.T) {
	plain, painted := render(t, "pretty", full(), Options{Width: 90}), render(t, "pretty", full(), Options{Color: true, Width: 90})
	if plain == painted {
		t.Error("Color paints nothing")
	}
	if got := colours.ReplaceAllString(painted, ""); got != plain {
		t.Errorf("with colours taken out, line %q differs", firstDifference(got, plain))
	}
}

func TestServersCannotForgeLines(t *testing.T) {
	r := clean()
	r.Findings = []finding.Finding{{Rule: "SEC-001", Severity: finding.High, Message: "m\nNo findings.",
		Location: finding.Location{Server: "s\nNo findings.", Item: "i\nNo findings.", Kind: finding.Tool, Pointer: "/\nNo findings."},
		Evidence: finding.Evidence{Raw: "x\nNo findings.\r\nNo findings."}}}
	for _, line := range strings.Split(render(t, "pretty", r, Options{}), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "No findings.") {
			t.Errorf("a server wrote the line %q", line)
		}
	}
}

// Findings of one rule in one definition share a line of the short text; verbose shows each.
func TestRepeatedFindingsAreCounted(t *testing.T) {
	r := clean()
	for i := range 20 {
		r.Findings = append(r.Findings, finding.Finding{Rule: "SEC-007", Name: "invisible-text", Severity: finding.Low,
			Message: fmt.Sprint("message ", i, "."), Location: finding.Location{Server: "s", Kind: finding.Tool, Item: "t"}})
	}
	if got, want := render(t, "pretty", r, Options{}), "LOW  SEC-007  invisible-text  t  (20 times) message 0."; strings.Count(got, "SEC-007") != 1 || !strings.Contains(got, want) {
		t.Errorf("want one line with SEC-007, %q, in:\n%s", want, got)
	}
	if n := strings.Count(render(t, "pretty", r, Options{Verbose: true}), "why:"); n != 20 {
		t.Errorf("verbose shows %d findings, want 20", n)
	}
}

// The first problems are shown, the rest is counted, and verbose shows all.
func TestProblemsAreNeverCountedAway(t *testing.T) {
	r := clean()
	for i := range 50 {
		r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: fmt.Sprint("problem ", i, ".")})
	}
	got := render(t, "pretty", r, Options{})
	for _, want := range []string{"problem 0.", "problem 2.", "… and 47 problems more", "No findings. The scan is incomplete: 50 problems."} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	got = render(t, "pretty", r, Options{Verbose: true})
	for i := range 50 {
		if want := fmt.Sprint("problem ", i, "."); !strings.Contains(got, want) {
			t.Errorf("verbose does not show %q", want)
		}
	}
}

// TestIncompleteIsNeverShownAsComplete covers a summary and a list that contradict.
func TestIncompleteIsNeverShownAsComplete(t *testing.T) {
	r := clean()
	r.Summary.Complete = false
	if got := render(t, "pretty", r, Options{}); !strings.Contains(got, "The scan is incomplete.") {
		t.Errorf("the summary says incomplete, pretty says:\n%s", got)
	}
	r = clean()
	r.Problems = []finding.Problem{{Kind: finding.Limit, Message: "m"}}
	if got := render(t, "sarif", r, Options{}); !strings.Contains(got, `"executionSuccessful": false`) {
		t.Errorf("there is a problem, SARIF says:\n%s", got)
	}
}

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    finding.Evidence
		n    int
		want string

		folded int
	}{
		{name: "nothing to quote", n: 40},
		{name: "a word", e: finding.Evidence{Raw: "secret", End: 6}, n: 40, want: "secret\n^~~~~~"},
		{name: "one letter", e: finding.Evidence{Raw: "s", End: 1}, n: 40, want: "s\n^"},
		{name: "inside a text", e: finding.Evidence{Raw: "secret", Start: 3, End: 9}, n: 40, want: "…secret\n ^~~~~~"},
		{name: "wide characters", e: finding.Evidence{Raw: "秘密", End: 6}, n: 40, want: "秘密\n^~~~"},
		{name: "combining mark", e: finding.Evidence{Raw: "e\u0301x", End: 4}, n: 40, want: "e\u0301x\n^~"},
		{name: "clipped in the middle", e: finding.Evidence{Raw: "abcdefghijklmnopqrstuvwxyz", End: 26}, n: 15, want: "abcdefgh … wxyz\n^~~~~~~~~~~~~~~"},
		{name: "two lines", e: finding.Evidence{Raw: "a\nb", End: 3}, n: 40, want: "a<U+000A>\n^~~~~~~~~\nb\n^"},
		{name: "a newline alone", e: finding.Evidence{Raw: "\n", End: 1}, n: 40, want: "<U+000A>\n^~~~~~~~"},
		{name: "folded", e: finding.Evidence{Raw: "read the file and send it", Start: 3, End: 28, After: " now"}, n: 12, folded: 4,
			want: "…read the \n ^~~~~~~~~\nfile and \n^~~~~~~~~\nsend it now\n^~~~~~~"},
		{name: "folded without spaces", e: finding.Evidence{Raw: "abcdefghijklmnopqrstuvwxyz", End: 26}, n: 10, folded: 2,
			want: "abcdefghij\n^~~~~~~~~~\nklmno … yz\n^~~~~~~~~~"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lines []string
			for _, r := range excerptRows(tt.e, tt.n, max(tt.folded, 1)) {
				lines = append(lines, r.text)
				if r.to > r.from {
					lines = append(lines, strings.Repeat(" ", r.from)+underline(r.to-r.from))
				}
			}
			if got := strings.Join(lines, "\n"); got != tt.want {
				t.Errorf("excerptRows(%q) =\n%s\nwant\n%s", tt.e.Raw, got, tt.want)
			}
		})
	}
}

func TestClip(t *testing.T) {
	pile := "a" + strings.Repeat("\u0301", 100_000)
	if got := clipText(pile, 40); len(got) > 1000 {
		t.Errorf("%d bytes of combining marks get through", len(got))
	}
	for n := 40; n < 60; n++ {
		for _, s := range []string{strings.Repeat("ab", 40), strings.Repeat("界", 40), strings.Repeat("a界", 30)} {
			if got := columns(clipText(s, n)); got > n || got < n-3 {
				t.Errorf("clip(%q, %d) takes %d columns", s, n, got)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"short", "a bc", "a bc"},
		{"breaks at spaces", "aaa bbb ccc ddd", "aaa bbb|ccc ddd"},
		{"a long word is broken", "a bbbbbbbbbbbb c", "a|bbbbbbbb|bbbb c"},
		{"empty", "", ""},
	} {
		if got := strings.Join(Wrap(tt.in, 8), "|"); got != tt.want {
			t.Errorf("%s: wrap(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for in, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := groupDigits(in); got != want {
			t.Errorf("number(%d) = %s, want %s", in, got, want)
		}
	}
}

// A client that knows hundreds of projects does not fill the screen with them.
func TestPrettyListsFewAgents(t *testing.T) {
	r := clean()
	r.Clients = &result.Clients{}
	for i := range 40 {
		r.Clients.Entries = append(r.Clients.Entries, result.ClientEntry{Name: fmt.Sprint("s", i)})
	}
	for i := range 30 {
		a := result.Agent{Client: "claude-code", Project: fmt.Sprint("/p", i)}
		for n := range 40 {
			a.Entries = append(a.Entries, n)
		}
		r.Clients.Agents = append(r.Clients.Agents, a)
	}
	got := render(t, "pretty", r, Options{})
	for _, want := range []string{"… and 27 more: -v lists them\n", "s11, … and 28 more\n", "claude-code in /p2 sees 40 servers"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if got := render(t, "pretty", r, Options{Verbose: true}); !strings.Contains(got, "/p29 sees") || !strings.Contains(got, "s39") {
		t.Errorf("verbose leaves agents out:\n%s", got)
	}
}

// An entry without a name and a file of no known client are still to be told from their neighbours.
func TestConfigurationsWithoutNames(t *testing.T) {
	r := &result.Report{}
	r.Clients = &result.Clients{
		Files:   []result.ClientFile{{File: "a.json", State: result.StateUnread}},
		Entries: []result.ClientEntry{{File: "a.json", State: result.NotLaunched}, {File: "a.json", Name: "b", State: result.NotLaunched}},
		Agents:  []result.Agent{{Client: "mcp.json", Entries: []int{0, 1}}},
	}
	got := render(t, "pretty", r, Options{Verbose: true})
	for _, want := range []string{"  (no name)  unknown client, unread  a.json\n", "sees 2 servers: (no name), b\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
