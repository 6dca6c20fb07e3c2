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
	// Prompt is set for a prompt, whose arguments the user fills in: "the rest of your prompt" there is what the user types.
	Prompt bool
}

// A purpose is what a definition says that it is for, once it is read. It has memory of its
// own, since it is read in the midst of another text.
type purpose struct {
	business   Business
	known      bool
	tok        tokenizer
	evidence   evidence
	domain     conceptSet
	named      conceptSet      // the part of domain that the names alone say
	vocabulary map[string]bool // stems of the words in which it says so
	siblings   map[string]bool // the same of the names of the other tools
	of         string          // what siblings was read from
}

// learn reads the business of the definition at hand, when it is first asked for.
func (p *purpose) learn() {
	if p.known {
		return
	}
	p.known, p.domain = true, 0
	if p.vocabulary == nil {
		p.vocabulary = map[string]bool{}
	}
	clear(p.vocabulary)
	for _, s := range []string{splitName(p.business.Name).text, p.business.Title, splitName(p.business.Server).text} {
		p.domain |= p.read(s)
	}
	p.named = p.domain
	p.domain |= p.read(Purpose(p.business.Description))
	if p.siblings == nil || p.of != p.business.Siblings {
		p.of, p.siblings = p.business.Siblings, map[string]bool{}
		p.evidence.s, p.evidence.marks = splitName(p.of).text, p.evidence.marks[:0]
		p.evidence.words(p.evidence.s, 0, len(p.evidence.s), mark{})
		p.addStems(p.siblings)
	}
}

func (p *purpose) addStems(to map[string]bool) {
	for i := range p.evidence.marks {
		if k := stemOf(p.evidence.marks[i].spelling); k != "" {
			to[k] = true
		}
	}
}

// knows reports whether a word is one in which the definition says what it is for.
func (p *purpose) knows(stem string) bool { return p.vocabulary[stem] || p.siblings[stem] }

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

// read returns the concepts of a short text that says what a tool is for.
func (p *purpose) read(s string) (out conceptSet) {
	if s == "" {
		return 0
	}
	if !text.Plain(s) {
		s = text.Fold(s).Text()
	}
	toks := p.tok.run(s, false)
	english, others := 0, 0
	for i := range toks {
		switch {
		case toks[i].flags&foreign != 0, toks[i].set.empty() && s[toks[i].start] >= utf8.RuneSelf:
			others++
		case !toks[i].set.empty():
			english++
		}
	}
	p.evidence.read(s, toks, []frame{{last: len(toks) - 1, foreign: others > english}})
	for i := range p.evidence.marks {
		out |= p.evidence.marks[i].set
	}
	p.addStems(p.vocabulary)
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
