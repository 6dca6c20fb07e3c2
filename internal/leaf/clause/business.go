package clause

import (
	"strings"

	"gauntlet/internal/leaf/text"
)

// Business is what a definition says that it is for, in short texts.
type Business struct {
	Name        string
	Title       string
	Server      string // what the server calls itself
	Description string // of which the beginning counts
	Size        int    // bytes of the whole definition
	// Prompt is set for a prompt, whose arguments the user fills in: "the rest of your prompt" there is what the user types.
	Prompt bool
}

// A domain is the classes of the words in which a definition says what it is for. It has a tokenizer of its own, since it is
// read in the midst of another text.
type domain struct {
	tok   tokenizer
	set   classSet
	known bool
}

// business returns what the definition at hand says that it is for, which is read when it is first asked for.
func (r *Reader) business() classSet {
	d := &r.domain
	if d.known {
		return d.set
	}
	d.known, d.set = true, classSet{}
	of := &r.definition
	for _, s := range [...]string{splitName(of.Name).text, of.Title, splitName(of.Server).text, Purpose(of.Description)} {
		if !text.Plain(s) {
			s = text.Fold(s).Text()
		}
		for i, toks := 0, d.tok.run(s, false); i < len(toks); i++ {
			d.set.addAll(toks[i].set)
			if also := toks[i].also; also != nil {
				d.set.addAll(also.alt)
			}
		}
	}
	return d.set
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
