package tracefile

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/report"
	"gauntlet/trace"
)

// A full is a terminal that takes nothing.
type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestShow(t *testing.T) {
	room := 1 << 20
	dir := t.TempDir()
	file, name := onDisk(t, dir, &room, 10, nil)
	tap := file.Tap("mail", trace.Between, nil, nil)
	for n := range 3 {
		tap(passage(n))
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.ndjson"), []byte(strings.Replace(string(text), "\n", "\nno message\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name, file string
		ctx        context.Context
		filter     Filter
		out        io.Writer
		want       string
		err        error
		told       bool // that a line could not be read
	}{
		{"all", filepath.Base(name), t.Context(), Filter{}, io.Discard, "3 messages", nil, false},
		{"none", filepath.Base(name), t.Context(), Filter{Servers: []string{"another"}}, io.Discard, "0 of 3 messages", nil, false},
		{"a line that is no message", "broken.ndjson", t.Context(), Filter{}, io.Discard, "3 messages", nil, true},
		{"what is shown cannot be written", filepath.Base(name), t.Context(), Filter{}, full{}, "3 messages", errFull, false},
		{"interrupted while nothing is picked", filepath.Base(name), over, Filter{Servers: []string{"another"}}, io.Discard, "0 of 1 messages", context.Canceled, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, err := Open(filepath.Join(dir, tt.file), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			told := 0
			var shown strings.Builder
			sum, err := in.Show(tt.ctx, &tt.filter, report.NewTimeline(io.MultiWriter(&shown, tt.out), report.Options{}), func(*trace.LineError) { told++ })
			if !errors.Is(err, tt.err) || !strings.HasPrefix(sum.Text(0), tt.want) || (told > 0) != tt.told {
				t.Errorf("%q, %v, %d lines told, want %q, %v, %v", sum.Text(0), err, told, tt.want, tt.err, tt.told)
			}
			if rows := strings.Count(shown.String(), "\n"); rows != sum.Shown {
				t.Errorf("%d are shown, %d counted:\n%s", rows, sum.Shown, shown.String())
			}
		})
	}
}

func TestCount(t *testing.T) {
	var c Count
	for _, m := range []trace.Message{
		{Kind: trace.Request}, {Kind: trace.Request}, {Kind: trace.Error}, {Kind: trace.Notification, Stray: "why"}, {Kind: trace.Invalid, Raw: "x"}, {Kind: trace.Response},
	} {
		c.Add(&m)
	}
	c.All = 6
	for _, tt := range []struct {
		all, unread int
		want        string
	}{
		{6, 0, "6 messages: requests 2, errors 1, strays 1, invalid 1"},
		{7, 0, "6 of 7 messages: requests 2, errors 1, strays 1, invalid 1"},
		{6, 2, "6 messages: requests 2, errors 1, strays 1, invalid 1, lines unread 2"},
	} {
		c.All = tt.all
		if got := c.Text(tt.unread); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if got := (&Count{}).Text(0); got != "0 messages: requests 0, errors 0" {
		t.Errorf("an empty trace: %q", got)
	}
}
