package classify

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/text"
)

// longestProse is how much of one text is read, in bytes: folding takes five times as much memory.
const longestProse = 1 << 20

// tokenizeProse reads sentences.
func (t *tokenizer) tokenizeProse(s string) []token {
	if len(s) > longestProse {
		s = strings.ToValidUTF8(s[:longestProse], "")
	}
	t.out, t.place, t.sentence, t.clause, t.opens, t.outside, t.tag = t.out[:0], 0, 0, 0, true, false, false
	span := func(a, b int) (int, int) { return a, b }
	folded := s
	if !isASCII(s) {
		f := text.Fold(s)
		folded, span = f.Text(), f.Span
	}
	for i := 0; i < len(folded); {
		switch c := folded[i]; {
		case c >= utf8.RuneSelf:
			if r, _ := utf8.DecodeRuneInString(folded[i:]); isJoinedScript(r) {
				end := i
				for end < len(folded) {
					r, size := utf8.DecodeRuneInString(folded[end:])
					if !isJoinedScript(r) {
						break
					}
					end += size
				}
				t.addIdeographs(folded[i:end], i, span)
				i = end
				continue
			}
			i = t.addWord(folded, i, span)
		case isWordByte(c):
			i = t.addWord(folded, i, span)
		default:
			i = t.readPunctuation(folded, i)
		}
	}
	return t.out
}

// addWord reads the word at i and what makes a phrase with it.
func (t *tokenizer) addWord(s string, i int, span func(int, int) (int, int)) int {
	w, start, end := nextWord(s, i, t.buf[:0])
	if strings.HasPrefix(s[end:], "://") {
		for end < len(s) && s[end] > ' ' && s[end] != ')' && s[end] != '"' && s[end] != '>' {
			end++
		}
		t.place++
		return end
	}
	k := token{place: t.place, sentence: t.sentence, clause: t.clause}
	if t.opens {
		k.flags |= opens
		t.opens = false
	}
	if t.outside || t.tag {
		k.flags |= outside
	}
	if s[start] >= 'A' && s[start] <= 'Z' {
		k.flags |= capital
	}
	stop := identifierEnd(s, start, end)
	e := t.lookUp(w)
	if e == nil && s[start] >= utf8.RuneSelf || e == nil && !isASCII(s[start:end]) {
		if sk, ok := text.LooksLike(s[start:end]); ok {
			e = t.lookUp([]byte(sk))
		}
	}
	t.place++
	if stop > end || e == nil && hasInnerCapital(s[start:end]) {
		k.flags |= identifier
		if t.isToolName != nil && t.isToolName(s[start:stop]) {
			k.flags |= sibling
		}
		a, b := span(start, stop)
		k.start, k.end = int32(a), int32(b)
		t.out = append(t.out, k)
		return stop
	}
	if e == nil {
		if c := byteAt(s, start-1); (c == '`' || c == '\'' || c == '"') && t.isToolName != nil && t.isToolName(s[start:end]) {
			k.flags |= sibling | identifier
		} else if k.flags&opens == 0 {
			return end
		}
	} else {
		k.set = e.set
		if e.foreign {
			k.flags |= foreign
		}
		if p, stop := t.longestPhrase(s, end, e.phrases); p != nil {
			end, k.set = stop, p.set
			t.place += int32(len(p.rest))
		}
	}
	k.set = k.set.without(t.excludedClasses)
	a, b := span(start, end)
	k.start, k.end = int32(a), int32(b)
	t.out = append(t.out, k)
	return end
}

func byteAt(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

// identifierEnd returns where a name with underscores ends that begins at start, end if it is none.
func identifierEnd(s string, start, end int) int {
	stop := end
	for byteAt(s, stop) == '_' && isWordByte(byteAt(s, stop+1)) {
		for stop++; stop < len(s) && (isWordByte(s[stop])); stop++ {
		}
	}
	return stop
}

// hasInnerCapital reports whether a capital letter stands inside the word behind a small one.
func hasInnerCapital(w string) bool {
	for i := 1; i < len(w); i++ {
		if w[i] >= 'A' && w[i] <= 'Z' && w[i-1] >= 'a' && w[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// longestPhrase returns the longest phrase whose further words follow at i, and where it ends; nil for none.
func (t *tokenizer) longestPhrase(s string, i int, phrases []phrase) (*phrase, int) {
	if len(phrases) == 0 {
		return nil, 0
	}
	next, end, ok := t.nextPhraseWord(s, i)
	if !ok {
		return nil, 0
	}
	for n := range phrases {
		p := &phrases[n]
		if p.rest[0] != string(next) {
			continue
		}
		if stop, ok := t.matchWords(s, end, p.rest[1:]); ok && t.areAllowed(p.rest) {
			return p, stop
		}
		next, end, _ = t.nextPhraseWord(s, i) // its buffer was used
	}
	return nil, 0
}

// matchWords reports whether these words follow at i, and where they end.
func (t *tokenizer) matchWords(s string, i int, words []string) (int, bool) {
	for _, r := range words {
		w, end, ok := t.nextPhraseWord(s, i)
		if !ok || string(w) != r {
			return 0, false
		}
		i = end
	}
	return i, true
}

// areAllowed reports whether the lexicon is not to do without one of these words.
func (t *tokenizer) areAllowed(words []string) bool {
	return t.lens.Knows == nil || !slices.ContainsFunc(words, func(word string) bool { return !t.lens.Knows(word) })
}

// nextPhraseWord returns the word at or behind i in the same clause, and where it ends.
func (t *tokenizer) nextPhraseWord(s string, i int) (word []byte, end int, ok bool) {
	for i < len(s) && !isWordByte(s[i]) {
		switch s[i] {
		case '.':
			if !isWordByte(byteAt(s, i+1)) {
				return nil, 0, false
			}
		case ' ', '\t', '\n', '-', '_', '/', '\'', '=': // shell=True
		default:
			return nil, 0, false
		}
		i++
	}
	word, _, end = nextWord(s, i, t.next[:0])
	return word, end, len(word) > 0
}

// addIdeographs finds terms in a run of a script that writes words together.
func (t *tokenizer) addIdeographs(s string, from int, span func(int, int) (int, int)) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		n := size
		for _, p := range t.lex.ideo[r] {
			if strings.HasPrefix(s[i:], p.rest[0]) {
				n = len(p.rest[0])
				a, b := span(from+i, from+i+n)
				k := token{start: int32(a), end: int32(b), place: t.place, sentence: t.sentence, clause: t.clause, set: p.set, flags: foreign}
				if t.outside || t.tag {
					k.flags |= outside
				}
				t.out = append(t.out, k)
				break
			}
		}
		t.place++
		i += n
	}
}

// readPunctuation reads what is no word at i.
func (t *tokenizer) readPunctuation(s string, i int) int {
	switch c := s[i]; c {
	case '.', '!', '?', ';':
		if i+1 >= len(s) || s[i+1] <= ' ' || s[i+1] >= utf8.RuneSelf || strings.IndexByte("\"')]*", s[i+1]) >= 0 {
			t.endSentence()
		}
	case ',', ':', '(', ')', '[', ']', '{', '}', '|':
		t.clause++
	case '\n':
		return t.readNewline(s, i)
	case '`':
		if strings.HasPrefix(s[i:], "```") {
			if end := strings.Index(s[i+3:], "```"); end >= 0 {
				t.endSentence()
				return i + 3 + end + 3
			}
		}
	case '<':
		if strings.HasPrefix(s[i:], "<!--") {
			if end := strings.Index(s[i:], "-->"); end >= 0 {
				t.endSentence()
				return i + end + 3
			}
			return len(s)
		}
		if n := shoutedTagLength(s[i+1:]); n > 0 { // <IMPORTANT> speaks to the model, whoever wrote it
			t.tag = true
			t.endSentence()
			return i + 1 + n
		}
		if byteAt(s, i+1) == '/' {
			t.tag = false
		}
	}
	return i + 1
}

func (t *tokenizer) endSentence() {
	t.sentence++
	t.clause++
	t.opens = true
}

// shoutedTagLength returns the length of a word of capitals that s begins with and that ends with >.
func shoutedTagLength(s string) int {
	n := 0
	for n < len(s) && (s[n] >= 'A' && s[n] <= 'Z' || s[n] == '_') {
		n++
	}
	if n > 3 && n < len(s) && s[n] == '>' {
		return n
	}
	return 0
}

// readNewline reads a line break: an empty line, an entry of a list and a heading end the
// sentence, and a heading says what the lines below it are about.
func (t *tokenizer) readNewline(s string, i int) int {
	empty := false
	for i < len(s) && s[i] <= ' ' {
		if s[i] == '\n' && i > 0 && s[i-1] == '\n' {
			empty = true
		}
		i++
	}
	if i >= len(s) {
		return i
	}
	end := strings.IndexByte(s[i:], '\n')
	if end < 0 {
		end = len(s) - i
	}
	line := strings.TrimSpace(s[i : i+end])
	head, isHead := strings.CutSuffix(strings.Trim(line, "*#_ "), ":")
	switch {
	case isHead && len(head) < 40 && strings.Count(head, " ") < 4:
		t.endSentence()
		t.outside = elsewhere[strings.ToLower(strings.Trim(head, "*"))]
	case empty || strings.IndexByte("-*#•>|", line[0]) >= 0 || isDigit(line[0]) || isEntryLine(line):
		t.endSentence()
	}
	t.clause++
	return i
}

// isEntryLine reports whether a line begins with a name and a colon.
func isEntryLine(line string) bool {
	colon := strings.IndexByte(line, ':')
	return colon > 0 && colon < 40 && strings.Count(line[:colon], " ") < 3
}

// elsewhere lists headings of parts that do not say what the tool does.
var elsewhere = map[string]bool{
	"args": true, "arguments": true, "parameters": true, "params": true, "parameter": true, "inputs": true, "input": true, "example": true, "examples": true, "raises": true,
	"example usage": true, "usage examples": true, "usage": false, "see also": true, "error responses": true, "errors": true, "note": true, "notes": true, "example response": true,
	"limitations": true, "when not to use": true, "do not use": true, "do not use for": true, "not recommended for": true, "keyword arguments": true, "related tools": true, "optional parameters": true, "required parameters": true, "sample response": true, "returns": true, "return": true, "output": true, "outputs": true, "response": true, "prerequisites": true, "tips": true, "warning": true, "best practices": true,
}

// tokenizeCues reads the description of a parameter: prose without regard to names.
func (t *tokenizer) tokenizeCues(s string) []token {
	known := t.isToolName
	t.isToolName, t.lex = nil, cueLex.withWords()
	out := t.tokenizeProse(s)
	t.isToolName, t.lex = known, lex
	return out
}
