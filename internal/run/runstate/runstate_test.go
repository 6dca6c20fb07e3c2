package runstate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/report"
)

func began() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

// recordOf returns what a file says.
func recordOf(t *testing.T, file string) *State {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := Parse(string(text))
	if !ok {
		t.Fatalf("no record: %.300q", text)
	}
	return s
}

// A reader sees each step as soon as it was told, how many are through, and why there is no report.
func TestRecordIsReadWhileItGrows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	if err := os.WriteFile(file, []byte("yesterday's report, for everybody to read"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Create(file, "probe", began())
	if err != nil {
		t.Fatal(err)
	}
	if s := recordOf(t, file); s.Command != "probe" || !s.Began.Equal(began()) || s.Steps != nil || s.now() != "Running" {
		t.Errorf("at first: %+v, %q", s, s.now())
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read it: %v, %v", info.Mode(), err)
	}
	r.Step("reading tools")
	r.Step("reading tools")
	r.Count(3, 10, "servers")
	r.Step("trying read_file")
	s := recordOf(t, file)
	if len(s.Steps) != 2 || s.now() != "Running; 3 of 10 servers are through; trying read_file" {
		t.Errorf("steps %+v, now %q", s.Steps, s.now())
	}
	r.Fail("interrupted")
	r.Step("too late")
	if s := recordOf(t, file); s.Ended != "interrupted" || len(s.Steps) != 2 || s.now() != "Ended without a report; 3 of 10 servers are through" {
		t.Errorf("at the end: %+v, %q", s, s.now())
	}
}

// A record that grows too long is begun anew, and says how much is gone.
func TestRecordIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	r, err := Create(file, "scan", began())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := range maxLines + 9 {
		r.Step(fmt.Sprint("step ", i))
	}
	s := recordOf(t, file)
	if s.LeftOut+len(s.Steps) != maxLines+9 || len(s.Steps) != 10 || s.Steps[9].Text != fmt.Sprint("step ", maxLines+8) {
		t.Errorf("%d left out, steps %+v", s.LeftOut, s.Steps)
	}
	if intro := s.Page().Tables[0].Intro; intro != "4999 earlier ones are left out." {
		t.Errorf("the page says %q", intro)
	}
}

// No record is no trouble, and neither is a file that cannot be written.
func TestNoRecord(t *testing.T) {
	var none *Record
	none.Step("x")
	none.Count(1, 2, "x")
	none.Fail("x")
	none.Close()
	if _, err := Create(filepath.Join(t.TempDir(), "no", "folder"), "scan", began()); err == nil {
		t.Error("a record in a folder that is not there")
	}
}

// FuzzPage: whatever stands in a file, it is a record or none, and its page has the input as text.
func FuzzPage(f *testing.F) {
	f.Add("{\"gauntlet_run\":\"1.0\",\"command\":\"scan\"}\n{\"at\":1,\"step\":\"<script>1</script>\"}\n{\"at\":2,\"thro")
	f.Add("{\"gauntlet_run\":\"1.0\",\"command\":\"<b>\"}\n{\"through\":-1,\"all\":9,\"what\":\"<i>\"}\nx\n{\"ended\":\"<img>\"}\n")
	f.Add("{\"gauntlet_run\":\"1.0\"}\n{\"result\":{\"id\":\"<b>\",\"word\":\"<script>\",\"what\":\"<i>\",\"says\":\"\\u202e\"}}\n{\"more\":-3}\n")
	f.Add("{}")
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := Parse(text)
		if !ok {
			return
		}
		if len(s.Steps)+s.Unread > strings.Count(text, "\n") {
			t.Errorf("%d steps of %d lines", len(s.Steps)+s.Unread, strings.Count(text, "\n"))
		}
		var b strings.Builder
		if err := s.Page().Write(&b, "html", nil, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "<script"); n != 1 {
			t.Errorf("%d scripts on the page, want its own", n)
		}
		if strings.ContainsAny(b.String(), "\x00\x1b\u202e") {
			t.Error("a hidden character is on the page as it is")
		}
	})
}
