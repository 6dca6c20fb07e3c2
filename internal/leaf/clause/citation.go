package clause

import "strings"

// maxLinkText is how many bytes the text of a Markdown link may have.
const maxLinkText = 200

// cites reports whether the address at i is the target of a Markdown link that only says where to read on: "the
// [region](https://…) to mix audio in". It is a place to send to if the words before its text say so: "post it to the [log](https://…)",
// "open [this](https://…)".
func (t *tokenizer) cites(i int) bool {
	if i < 2 || t.s[i-2:i] != "](" {
		return false
	}
	open := strings.LastIndexByte(t.s[max(0, i-2-maxLinkText):i-2], '[')
	if open < 0 {
		return false
	}
	open += max(0, i-2-maxLinkText)
	for k := len(t.out) - 1; k >= 0; k-- {
		switch tok := &t.out[k]; {
		case tok.sentence != t.sentence:
			return true
		case int(tok.end) > open || linkArticles[strings.ToLower(t.s[tok.start:tok.end])]:
		default:
			return !tok.set.any(setOf(give, send, run)) && !linkPrepositions[strings.ToLower(t.s[tok.start:tok.end])]
		}
	}
	return true
}

var (
	linkArticles     = map[string]bool{"the": true, "a": true, "an": true, "our": true, "this": true, "your": true, "their": true, "its": true, "following": true}
	linkPrepositions = map[string]bool{"to": true, "into": true, "onto": true, "at": true, "via": true, "through": true, "by": true, "from": true, "on": true, "under": true, "visit": true}
)
