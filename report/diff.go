package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/rawjson"
)

// A DiffFormat is one way to write what changed.
type DiffFormat struct {
	Name    string // as in --format
	Summary string // one line for a help text

	write func(*bufio.Writer, *diff.Diff, Options) error
}

// diffFormats is the one list of them, in the order a help text shows them.
var diffFormats = []DiffFormat{
	{"pretty", "for people: what went [-so-] and what came {+so+}", writeDiffPretty},
	{"json", "for programs, as in docs/schemas/diff.schema.json", writeDiffJSON},
	{"markdown", "for pull requests", writeDiffMarkdown},
}

// DiffFormats returns all formats for a diff, the default first.
func DiffFormats() []DiffFormat { return append([]DiffFormat(nil), diffFormats...) }

// DiffNames returns the names that LookupDiff takes, the default first.
func DiffNames() []string {
	var names []string
	for _, f := range diffFormats {
		names = append(names, f.Name)
	}
	return names
}

// LookupDiff finds a format by its exact name; the error lists the names there are.
func LookupDiff(name string) (DiffFormat, error) {
	for _, f := range diffFormats {
		if f.Name == name {
			return f, nil
		}
	}
	return DiffFormat{}, fmt.Errorf("unknown format %q: want one of %s", name, strings.Join(DiffNames(), ", "))
}

// Write writes d to w. An error is w's own.
func (f DiffFormat) Write(w io.Writer, d *diff.Diff, opt Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := f.write(out, d, opt); err != nil {
		return err
	}
	return out.Flush()
}

// writeDiffJSON writes the form that docs/schemas/diff.schema.json describes.
func writeDiffJSON(w *bufio.Writer, d *diff.Diff, _ Options) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return err
	}
	_, err := w.Write(rawjson.EscapeHidden(nil, b.Bytes()))
	return err
}

// itemName is what a reader calls an item.
func itemName(it *diff.Item) string {
	kind := strings.ReplaceAll(string(it.Kind), "_", " ")
	switch {
	case it.Kind == finding.Server:
		return "the server's own words"
	case it.Name == "":
		return kind + " without a name"
	}
	return kind + " " + Visible(it.Name)
}

// diffSum is the last line.
func diffSum(d *diff.Diff) string {
	s := fmt.Sprintf("%d changed, %d removed, %d added, %d the same.", d.Summary.Changed, d.Summary.Removed, d.Summary.Added, d.Summary.Same)
	if !d.Summary.Complete {
		s += " The comparison is incomplete."
	}
	return s
}

// most is how much of one text or value a person is shown, in bytes; json has all of it.
const most = 4_000

func clipped(s string) string {
	if len(s) <= most {
		return Visible(s)
	}
	head := strings.ToValidUTF8(s[:most], "")
	return Visible(head) + fmt.Sprintf(" … and %d bytes more, which --format json shows", len(s)-len(head))
}

// beside cuts a text that stayed to what stands beside a change: its beginning where
// something before it changed, its end where something behind it did. cut tells that
// something between, before or behind was left out.
func beside(s string, before, after bool) (head, tail string, cut bool) {
	const around = 60
	if len(s) <= 2*around+20 {
		return s, "", false
	}
	if before {
		head = strings.ToValidUTF8(s[:around], "")
	}
	if after {
		tail = strings.ToValidUTF8(s[len(s)-around:], "")
	}
	return head, tail, true
}

// lines makes a text visible and keeps its lines, each new one behind prefix.
func lines(s, prefix string) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		out = append(out, Visible(line))
	}
	return strings.Join(out, "\n"+prefix)
}

// sides are the values of a change as one text: "a → b", or the one there is.
func sides(old, new string) string {
	switch {
	case old == "":
		return clipped(new)
	case new == "":
		return clipped(old)
	}
	return clipped(old) + " → " + clipped(new)
}
