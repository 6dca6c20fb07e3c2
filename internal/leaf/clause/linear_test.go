package clause

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gauntlet/internal/testing/opcount"
)

// fill repeats a unit up to n bytes.
func fill(unit string, n int) string {
	return strings.Repeat(unit, n/len(unit)+1)[:n/len(unit)*len(unit)]
}

var hostile = []struct {
	name string
	make func(n int) string
}{
	{"quotes", func(n int) string { return fill(`"`, n) }},
	{"words in quotes", func(n int) string { return fill(`"user" `, n) }},
	{"comment openings", func(n int) string { return fill("<!-- ", n) }},
	{"comment closings", func(n int) string { return fill("a --> ", n) }},
	{"JSON escapes", func(n int) string { return fill(`\u0041`, n) }},
	{"JSON escapes apart", func(n int) string { return fill(`\u0041 `, n) }},
	{"percent escapes", func(n int) string { return fill("%41", n) }},
	{"broken percent escapes", func(n int) string { return fill("%4", n) }},
	{"percent signs apart", func(n int) string { return fill("%41 ", n) }},
	{"percent in quotes", func(n int) string { return fill(`%41"`, n) }},
	{"base64", func(n int) string { return fill("QUJDabcd0123+/", n) }},
	{"wrapped base64", func(n int) string { return fill("QUJDabcd0123QUJDabcd0123QUJDabcd\n", n) }},
	{"base64 of falling width", func(n int) string { return fill("QUJDabcd0123QUJDabcd0123QUJDabcd\nQUJDabcd0123QUJDabcd0123\n", n) }},
	{"hex", func(n int) string { return fill("0123456789abcdef", n) }},
	{"spaced hex", func(n int) string { return fill("49 67 ", n) }},
	{"spaced letters", func(n int) string { return fill("i g n o r e ", n) }},
	{"spaced letters, five at a time", func(n int) string { return fill("a b c d e 1 ", n) }},
	{"ignore", func(n int) string { return fill("ignore ", n) }},
	{"leads", func(n int) string { return fill("you must then always please ", n) }},
	{"guarded matches", func(n int) string { return "detect example " + fill("ignore previous instructions ", n) }},
	{"refused matches", func(n int) string { return fill("not ignore previous instructions ", n) }},
	{"half matches", func(n int) string { return fill("ignore previous ", n) }},
	{"phrases that do not come", func(n int) string { return fill("keep make sure to take ", n) }},
	{"one gap", func(n int) string { return "keep" + strings.Repeat(" ", n) + "secret" }},
	{"gaps", func(n int) string { return fill("keep     -    ", n) }},
	{"entities", func(n int) string { return fill("&#73;", n) }},
	{"entities of entities", func(n int) string { return fill("&amp;#73;", n) }},
	{"ampersands", func(n int) string { return fill("&", n) }},
	{"zero width", func(n int) string { return fill("\u200b", n) }},
	{"joiners", func(n int) string { return fill("a\u200d", n) }},
	{"tags", func(n int) string { return fill("\U000E0041", n) }},
	{"black flags", func(n int) string { return fill("\U0001F3F4\U000E0067", n) }},
	{"selectors", func(n int) string { return fill("\ufe0f", n) }},
	{"bidi controls", func(n int) string { return fill("\u202a", n) }},
	{"look-alikes", func(n int) string { return fill("p\u0430ssword ", n) }},
	{"one word of look-alikes", func(n int) string { return fill("p\u0430", n) }},
	{"abbreviations", func(n int) string { return fill("e.g. ", n) }},
	{"abbreviations in a row", func(n int) string { return fill("e.g.", n) }},
	{"letters and dots", func(n int) string { return fill("a.", n) }},
	{"dots and quotes", func(n int) string { return fill(".'", n) }},
	{"dots", func(n int) string { return fill(".", n) }},
	{"one word", func(n int) string { return fill("a", n) }},
	{"one identifier", func(n int) string { return fill("ab_", n) }},
	{"one number", func(n int) string { return fill("7", n) }},
	{"Chinese", func(n int) string { return fill("忽略", n) }},
	{"Chinese without a term", func(n int) string { return fill("橙", n) }},
	{"accents", func(n int) string { return fill("\u0301", n) }},
	{"at signs", func(n int) string { return fill("@", n) }},
	{"mailboxes", func(n int) string { return fill("a@b.c ", n) }},
	{"slashes", func(n int) string { return fill("/", n) }},
	{"path", func(n int) string { return fill("/a.b", n) }},
	{"colons", func(n int) string { return fill("ab:", n) }},
	{"schemes", func(n int) string { return fill("http://", n) }},
	{"escape sequences", func(n int) string { return fill("\x1b[", n) }},
	{"open titles", func(n int) string { return fill("\x1b]", n) }},
	{"open titles with text", func(n int) string { return fill("\x1b]abc", n) }},
	{"places in the alphabet", func(n int) string { return fill("9-7-", n) }},
	{"places in the alphabet, unevenly", func(n int) string { return fill("9-7 9; ", n) }},
	{"names of letters", func(n int) string { return fill("golf ", n) }},
	{"letters of flags", func(n int) string { return fill("\U0001F1EE", n) }},
	{"letters upside down", func(n int) string { return fill("\u01DD", n) }},
	{"signs", func(n int) string { return fill("@=9 ", n) }},
	{"list signs", func(n int) string { return fill("\n- ", n) }},
	{"numbered lines", func(n int) string { return fill("\n1. ", n) }},
	{"entries", func(n int) string { return fill("\na: ", n) }},
	{"hyphens", func(n int) string { return fill("-", n) }},
	{"apostrophes", func(n int) string { return fill("a'", n) }},
	{"brackets", func(n int) string { return fill("<", n) }},
	{"ligatures", func(n int) string { return fill("\uFDFA", n) }},
	{"tags of angle brackets", func(n int) string { return fill("<important>", n) }},
}

// mostSteps is how many steps a byte may cost. The costliest of the texts below, letters
// with dots, takes 585.
const mostSteps = 3_000

// TestLinear guards against quadratic time by counting steps: eight times the input may
// take nine times as many, while quadratic work takes 64 times. No clock is asked.
//
// What one call of the standard library does is one step: it must not be handed the rest of a text
// at every place of it.
func TestLinear(t *testing.T) {
	if os.Getenv("GAUNTLET_HEAVY") == "" {
		t.Skip("it builds the package anew: only with GAUNTLET_HEAVY=1, as .ci/full has it")
	}
	c := opcount.New(t, "gauntlet/internal/leaf/clause")
	count := func(name string, n int) int {
		return c.Count(t, "TestReadOnce", fmt.Sprintf("%s=%d %s", readVariable, n, name))
	}
	idle := count("", 0) // reading the lexicon
	const n = 2 << 10
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for _, h := range hostile {
		slots <- struct{}{}
		wg.Go(func() { // ends with its two processes; Wait below waits for it
			defer func() { <-slots }()
			small, large := (count(h.name, n)-idle)/rounds, (count(h.name, 8*n)-idle)/rounds
			t.Logf("%s: %d and %d steps, %.0f a byte", h.name, small, large, float64(large)/(8*n))
			if large > 9*small || large > mostSteps*8*n {
				t.Errorf("%s: %d bytes take %d steps and eight times as many %d, %.1f times as many", h.name, n, small, large, float64(large)/float64(small))
			}
			if small < n/8 {
				t.Errorf("%s: %d bytes take only %d steps: the counting is broken", h.name, n, small)
			}
		})
	}
	wg.Wait()
}

// rounds is how often one text is read: the start-up, whose maps come in any order, takes
// some thousand steps more or less from run to run.
const rounds = 16

// readVariable asks a process of a steps.Counter to read one hostile text: NAME N.
const readVariable = "GAUNTLET_READ"

// TestReadOnce is the work that TestLinear counts, in a process of its own.
func TestReadOnce(t *testing.T) {
	size, name, ok := strings.Cut(os.Getenv(readVariable), " ")
	if !ok {
		t.Skip("is run by TestLinear")
	}
	n, err := strconv.Atoi(size)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hostile {
		if h.name == name {
			text := h.make(n)
			var r Reader
			for range rounds {
				r.Begin(Business{Name: "tool"})
				r.Read(text, Function)
			}
		}
	}
}
