package text

import (
	"fmt"
	"iter"
	"strings"
)

// An Entry is a term of a list of words, or the head of a section, whose Term is empty.
type Entry struct {
	Line    int    // from 1
	Class   string // what the words of the section mean
	Kind    string // "verb", "noun" or "": which forms a word has
	Term    string // as written
	Foreign bool   // of a language other than English
}

// WordList reads the form in which word lists are written:
//
//	# a comment
//	[class kind]
//	term, term of several words, stem*
//
// A line "@foreign" marks a language other than English, from there on. The first error ends the
// list.
func WordList(data string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var e Entry
		for line := range strings.Lines(data) {
			e.Line++
			e.Term = ""
			line = strings.TrimSpace(line)
			switch {
			case line == "" || line[0] == '#':
			case line == "@foreign":
				e.Foreign = true
			case line[0] == '[':
				head, ok := strings.CutSuffix(line[1:], "]")
				e.Class, e.Kind, _ = strings.Cut(head, " ")
				if !ok || e.Kind != "" && e.Kind != "verb" && e.Kind != "noun" {
					yield(e, fmt.Errorf("line %d: want [class], [class verb] or [class noun]", e.Line))
					return
				}
				if !yield(e, nil) {
					return
				}
			case e.Class == "":
				yield(e, fmt.Errorf("line %d: a term outside a section", e.Line))
				return
			default:
				for term := range strings.SplitSeq(line, ",") {
					if e.Term = strings.TrimSpace(term); e.Term != "" && !yield(e, nil) {
						return
					}
				}
			}
		}
	}
}
