package clause

import (
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/text"
)

// Business is what a definition says that it is for, in short texts.
type Business struct {
	Name        string
	Title       string
	Server      string // what the server calls itself
	Siblings    string // the names of the server's other tools
	Description string // of which the beginning counts
}

// learnBusiness keeps what the definition at hand says that it is for.
func (r *Reader) learnBusiness(b Business) {
	if r.vocabulary == nil {
		r.vocabulary = map[string]bool{}
	}
	clear(r.vocabulary)
	r.domain = 0
	purpose := Purpose(b.Description)
	for _, s := range []string{splitName(b.Name).text, b.Title, splitName(b.Server).text, purpose} {
		r.domain |= r.businessOf(s)
	}
	r.addVocabulary(splitName(b.Siblings).text)
}

func (r *Reader) addVocabulary(s string) {
	e := &r.evidence
	e.s, e.marks = s, e.marks[:0]
	e.words(s, 0, len(s), mark{})
	for i := range e.marks {
		if k := stemOf(e.marks[i].spelling); k != "" {
			r.vocabulary[k] = true
		}
	}
}

// stemOf returns what two forms of a word have in common: five letters of a script with few
// bytes a letter, three of others. Short words say nothing.
func stemOf(w string) string {
	n := 0
	for i := range w {
		if n++; n == 6 {
			return w[:i]
		}
	}
	if n < 4 && len(w) < 6 {
		return ""
	}
	return w
}

// businessOf returns the concepts of a short text that says what a tool is for.
func (r *Reader) businessOf(s string) (out conceptSet) {
	if s == "" {
		return 0
	}
	if !text.Plain(s) {
		s = text.Fold(s).Text()
	}
	toks := r.tok.run(s, false)
	english, others := 0, 0
	for i := range toks {
		switch {
		case toks[i].flags&foreign != 0, toks[i].set.empty() && s[toks[i].start] >= utf8.RuneSelf:
			others++
		case !toks[i].set.empty():
			english++
		}
	}
	whole := []frame{{last: len(toks) - 1, foreign: others > english}}
	r.evidence.read(s, toks, whole)
	for i := range r.evidence.marks {
		out |= r.evidence.marks[i].set
		if k := stemOf(r.evidence.marks[i].spelling); k != "" {
			r.vocabulary[k] = true
		}
	}
	return out
}

// Purpose returns the beginning of a description that says what the tool does: its first
// clause, of twelve words at most.
func Purpose(description string) string {
	const longest = 160
	s := strings.TrimSpace(description[:min(len(description), longest)])
	words := 0
	for i, r := range s {
		switch r {
		case '.', ',', ';', ':', '\n', '(', '。', '、', '，', '；', '：', '—', '।':
			if i > 0 {
				return s[:i]
			}
		case ' ':
			if words++; words == 12 {
				return s[:i]
			}
		}
	}
	return strings.ToValidUTF8(s, "")
}
