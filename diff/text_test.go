package diff

import (
	"fmt"
	"strings"
	"testing"
)

func marked(es []Edit) string {
	var b strings.Builder
	for _, e := range es {
		b.WriteString(map[Op]string{Keep: "", Remove: "[-", Insert: "{+"}[e.Op] + e.Text + map[Op]string{Keep: "", Remove: "-]", Insert: "+}"}[e.Op])
	}
	return b.String()
}

func TestEdits(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"the same", "Adds.", "Adds.", "Adds."},
		{"nothing before", "", "Adds.", "{+Adds.+}"},
		{"nothing now", "Adds.", "", "[-Adds.-]"},
		{"a word", "Adds two numbers.", "Adds three numbers.", "Adds [-two-]{+three+} numbers."},
		{"a sentence behind", "Adds.", "Adds. Sends.", "Adds.{+ Sends.+}"},
		{"a sentence between", "Adds. Ends.", "Adds. Sends. Ends.", "Adds. {+Sends. +}Ends."},
		{"a line between", "a.\nz.", "a.\nb.\nz.", "a.\n{+b.\n+}z."},
		{"a hidden character", "Adds a note.", "Adds a\u200b note.", "Adds a{+\u200b+} note."},
		{"one character of a script without spaces", "读取文件", "读取邮件", "读取[-文-]{+邮+}件"},
		{"a sentence written anew", "Adds two numbers.", "Sends a file.", "[-Adds two numbers-]{+Sends a file+}."},
		{"an accent", "cafe", "café", "[-cafe-]{+café+}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := marked(editTexts(tt.old, tt.new)); got != tt.want {
				t.Errorf("edits(%q, %q) = %q, want %q", tt.old, tt.new, got, tt.want)
			}
		})
	}
}

func FuzzEdits(f *testing.F) {
	f.Add("Adds two numbers.", "Adds three.\nNumbers")
	f.Add("a\x80\u200b  b", "b \u200b")
	f.Fuzz(func(t *testing.T, old, new string) {
		var was, is strings.Builder
		last := Op("")
		for _, e := range editTexts(old, new) {
			if e.Text == "" || e.Op == last {
				t.Errorf("edits(%q, %q) holds an empty one, or two of a kind in a row", old, new)
			}
			last = e.Op
			if e.Op != Insert {
				was.WriteString(e.Text)
			}
			if e.Op != Remove {
				is.WriteString(e.Text)
			}
		}
		if was.String() != old || is.String() != new {
			t.Errorf("edits(%q, %q) are those of %q and %q", old, new, was.String(), is.String())
		}
	})
}

// BenchmarkEdits compares texts that have little in common: the worst there is.
func BenchmarkEdits(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		var old, new strings.Builder
		for i := range n {
			fmt.Fprintf(&old, "word%d ", i*7%n)
			fmt.Fprintf(&new, "word%d ", i*11%n)
		}
		b.Run(fmt.Sprintf("words=%d", n), func(b *testing.B) {
			b.SetBytes(int64(old.Len() + new.Len()))
			for b.Loop() {
				editTexts(old.String(), new.String())
			}
		})
	}
}

// A text of megabytes is one removal and one addition; a page is compared by words.
func TestLongTextsAreNotTakenApart(t *testing.T) {
	for n, want := range map[int]int{longestCompared: 2, 1000: 3} {
		page := strings.Repeat("word ", n/5)
		if got := editTexts(page+"one", page+"two"); len(got) != want {
			t.Errorf("%d bytes: %d edits, want %d", n, len(got), want)
		}
	}
}
