package clause

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/leaf/text"
)

// A token is one word, term or address of a text.
type token struct {
	start, end int32 // in the folded text
	sentence   int32
	set        classSet
	also       *sense // a word of the lists, which may mean something in a language other than English
	forms      form
	flags      tokenFlags
}

type tokenFlags uint16

const (
	fresh      tokenFlags = 1 << iota // begins a sentence, or stands behind punctuation
	softBreak                         // stands behind a line break
	capital                           // begins with a capital
	quoted                            // inside quotation marks
	inComment                         // inside an HTML comment or another hidden element
	disguised                         // spelt with look-alike letters or digits for letters
	foreign                           // a word of a language other than English
	named                             // inside backquotes, or alone inside quotation marks
	colonAfter                        // a colon, an equals sign or a dash follows
	commaPrior                        // a comma stands before it
	stopAfter                         // the last of its sentence
)

func (t *token) has(c class) bool { return t.set.has(c) }

// A tokenizer finds the tokens of one folded text. Its memory is reused.
type tokenizer struct {
	lex       *lexicon
	names     func(string) Name      // what a name means in the definition at hand; may be nil
	place     func(host string) bool // whether an address belongs to the server; may be nil
	s         string
	out       []token
	sentence  int32
	pending   tokenFlags // of the next token
	quote     byte       // the quotation mark that is open, 0 if none
	quoteAt   int        // tokens before it
	comment   bool
	announced bool     // a colon was the last sign, so that a list belongs to the sentence
	mask      classSet // the classes of all tokens
	known     int      // tokens that an English word list knows
	others    int      // tokens that no list knows
	strange   int      // tokens that only lists of other languages know
	buf       [128]byte
	ahead     [128]byte
	letters   [128]byte
}

// run returns the tokens of s, good until the next call. Where segment is set, s holds
// letters without any boundary.
func (t *tokenizer) run(s string, segment bool) []token {
	t.lex = words()
	t.mask = classSet{}
	t.s, t.out, t.sentence, t.pending, t.quote, t.comment, t.announced, t.known, t.others, t.strange = s, t.out[:0], 0, fresh, 0, false, false, 0, 0, 0
	for i := 0; i < len(s); {
		if i = t.space(i); i >= len(s) {
			break
		}
		end, special := t.chunk(i)
		switch {
		case segment:
			t.segment(i, end)
			i = end
		case special:
			i = t.special(i, end)
		default:
			i = t.plain(i, end)
		}
	}
	if n := len(t.out); n > 0 {
		t.out[n-1].flags |= stopAfter
	}
	return t.out
}

// chunkSigns are the signs that addresses and paths have.
var chunkSigns = func() (set [256]uint8) {
	for _, c := range []byte(" \n\t\r") {
		set[c] = 1
	}
	for _, c := range []byte(`/@\~+`) {
		set[c] = 2
	}
	set['.'], set['x'] = 3, 4
	return set
}()

// chunk returns the end of the run without white space at i and whether it holds signs
// of an address or a path.
func (t *tokenizer) chunk(i int) (end int, special bool) {
	dots := 0
	for end = i; end < len(t.s); end++ {
		switch chunkSigns[t.s[end]] {
		case 1:
			return end, special
		case 2:
			special = true
		case 3:
			dots++ // three are in a version or in the address of a machine
			special = special || dots == 3 || end == i || end+1 < len(t.s) && isLetter(t.s[end+1])
		case 4:
			special = special || end > i && t.s[end-1] == '0'
		}
	}
	return end, special
}

// plain reads ordinary words between i and end.
func (t *tokenizer) plain(i, end int) int {
	for i < end {
		c := t.s[i]
		switch {
		case inWord[c] && c != '@' && c != '$':
			i = t.word(i, end)
		case c == '@' || c == '$':
			if i+1 < end && isLetter(t.s[i+1]) { // leetspeak begins words with these, shells variables
				i = t.word(i, end)
				continue
			}
			i++
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(t.s[i:])
			switch {
			case text.Ideographic(r):
				i = t.ideographs(i, end)
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				i = t.word(i, end)
			default:
				i += size
			}
		default:
			t.punctuate(i, i+1)
			i++
		}
	}
	return i
}

// inWord holds the ASCII that words are made of, leetspeak and identifiers included.
var inWord = func() (set [256]bool) {
	for c := range set {
		set[c] = isLetter(byte(c)) || c >= '0' && c <= '9' || c == '_' || c == '@' || c == '$'
	}
	return set
}()

func (t *tokenizer) wordEnd(i, end int) int {
	for i < end {
		c := t.s[i]
		switch {
		case inWord[c]:
			i++
		case c == '\'' && i+1 < end && (isLetter(t.s[i+1]) || t.s[i+1] >= utf8.RuneSelf) && i > 0 && t.s[i-1] != '\'' && t.quote != '\'':
			i++
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(t.s[i:])
			if text.Ideographic(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return i
			}
			i += size
		default:
			return i
		}
	}
	return i
}

// lowerInto copies a word as it is looked up into the buffer; words longer than any term come
// back empty.
func lowerInto(buf []byte, s string) (w []byte, ascii bool) {
	ascii = true
	if len(s) > len(buf) {
		return nil, true
	}
	n := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\'' {
			continue
		}
		if c >= utf8.RuneSelf {
			ascii = false
		}
		buf[n] = lower(c)
		n++
	}
	return buf[:n], ascii
}

// word reads one word at i and looks it up, together with the words behind it if they
// make a phrase.
func (t *tokenizer) word(i, end int) int {
	stop := t.wordEnd(i, end)
	if stop == i {
		return i + 1
	}
	if stop == i+1 && stop+1 < end && t.s[stop] == '.' && (strings.EqualFold(t.s[i:stop+2], "e.g") || strings.EqualFold(t.s[i:stop+2], "i.e")) {
		stop += 2 // each is one word, and "e" means "and" in some languages
	}
	w, ascii := lowerInto(t.buf[:], t.s[i:stop])
	if polite(w) {
		return stop
	}
	s := t.lex.lookup(w)
	var flags tokenFlags
	if s == nil {
		s, flags = t.respelt(i, stop, w, ascii)
	}
	set, isName := t.name(i, stop)
	switch {
	case s == nil && set.empty() && stop-i > 1:
		t.others++
	case s != nil && !s.set.empty():
		t.known++
	}
	if s == nil || isName && !set.has(ident) {
		t.emit(i, stop, set, 0, flags)
		return stop
	}
	if isName && set.has(ident) && t.s[i] != '\'' { // "userId" is no word
		t.emit(i, stop, set, 0, flags)
		return stop
	}
	if p, e := t.phrase(stop, s.phrases); p != nil {
		t.sense(i, e, &p.sense, flags)
		return e
	}
	t.sense(i, stop, s, flags)
	return stop
}

// polite reports whether a word only makes a request polite. Such words are no tokens: a request reads the same without them.
func polite(w []byte) bool { return string(w) == "please" || string(w) == "kindly" }

// respelt looks a word up that no list has as it stands: behind an elided article, with
// look-alike letters as the ASCII they pose as, with digits as letters, without the
// prefixes that Arabic writes together with a word, and as an account number.
func (t *tokenizer) respelt(i, stop int, w []byte, ascii bool) (*sense, tokenFlags) {
	if k := strings.IndexByte(t.s[i:stop], '\''); k == 1 || k == 2 {
		w, ascii = lowerInto(t.buf[:], t.s[i+k+1:stop]) // French elides: "l'utilisateur", "qu'il"
		if s := t.lex.lookup(w); s != nil {
			return s, 0
		}
	}
	if !ascii {
		if sk, ok := text.LooksLike(t.s[i:stop]); ok {
			if s := t.lex.lookup([]byte(sk)); s != nil || text.MixedScript(t.s[i:stop]) {
				return s, disguised
			}
		}
		for _, prefix := range arabicPrefixes {
			if rest, ok := strings.CutPrefix(string(w), prefix); ok && len(rest) >= 4 {
				if s := t.lex.lookup([]byte(rest)); s != nil {
					return s, 0
				}
			}
		}
		return nil, 0
	}
	if alt := unleet(w, t.letters[:0]); alt != nil {
		if s := t.lex.lookup(alt); s != nil {
			return s, disguised
		}
	}
	return nil, 0
}

var arabicPrefixes = []string{"وال", "بال", "لل", "ال", "و", "ب", "ل", "ف"}

// standing drops the classes that a word has only in certain places: names of tags
// outside brackets, names of interpreters without a pipe, words that count inside a path.
func (t *tokenizer) standing(i, stop int, set classSet) classSet {
	if set[1]|set[2] == 0 {
		return set
	}
	if set.has(tag) {
		set[tag>>6] &^= 1 << (tag & 63)
		if t.tagged(i, stop) {
			set.add(marked)
			if t.posesAsHost(i, stop) {
				set.add(fakeVoice)
			}
		}
	}
	if set.has(credName) {
		set[credName>>6] &^= 1 << (credName & 63)
	}
	if set.has(interpreter) && t.isPiped(i) {
		set.add(piped)
	}
	return set
}

// tagged reports whether the words at s[i:stop] stand as a tag, <IMPORTANT>, [SYSTEM
// NOTE], or as a heading in capitals: "SYSTEM NOTE:".
func (t *tokenizer) tagged(i, stop int) bool {
	if i > 0 && strings.IndexByte("<[{|/", t.s[i-1]) >= 0 && stop < len(t.s) && strings.IndexByte(">]}|: ", t.s[stop]) >= 0 {
		return true
	}
	return stop < len(t.s) && t.s[stop] == ':' && strings.IndexByte(t.s[i:stop], ' ') > 0 || stop-i > 9 && strings.IndexByte(t.s[i:stop], ' ') > 0 && capitals(t.s[i:stop])
}

// posesAsHost reports whether a tag is one in which hosts and chat templates wrap what is
// not the server's to write, or a heading that speaks in their name: <system>, [INST], <|im_start|>, [SYSTEM DIRECTIVE],
// "SYSTEM:".
func (t *tokenizer) posesAsHost(i, stop int) bool {
	name := strings.ToLower(t.s[i:stop])
	switch {
	case stop >= len(t.s):
		return false
	case i > 0 && strings.IndexByte("<[|/", t.s[i-1]) >= 0 && strings.IndexByte(">]|", t.s[stop]) >= 0:
		return templateTags[name] || hostHeadings[name]
	case t.s[stop] == ':' && capitals(t.s[i:stop]) && t.pending&fresh != 0:
		return hostHeadings[name]
	}
	return false
}

var (
	templateTags = map[string]bool{"inst": true, "im_start": true, "sys": true, "system_prompt": true, "developer": true, "system": true}
	// hostHeadings are what only who runs the model could head a text with.
	hostHeadings = map[string]bool{"system": true, "system directive": true, "system override": true, "system message": true, "system note": true,
		"system notice": true, "system instruction": true, "hidden instruction": true, "hidden_instruction": true, "admin override": true,
		"override directive": true, "instruction override": true, "act as": true}
)

func capitals(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'a' && s[i] <= 'z' || s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (t *tokenizer) isPiped(i int) bool {
	for i > 0 && t.s[i-1] == ' ' {
		i--
	}
	return i > 0 && t.s[i-1] == '|'
}

// phrase returns the longest of the phrases that the words behind i complete, and where
// it ends; nil if none.
func (t *tokenizer) phrase(i int, phrases []phrase) (p *phrase, end int) {
	if len(phrases) == 0 {
		return nil, 0
	}
	second, stop := t.next(i)
	if second == nil {
		return nil, 0
	}
	var head [len(t.ahead)]byte // next overwrites what it returned
	second = head[:copy(head[:], second)]
	simple := true // nothing poses as a letter
	for _, c := range second {
		simple = simple && c >= 'a' && c <= 'z'
	}
	for k := range phrases {
		rest := phrases[k].rest
		if simple && !phrases[k].stem { // nearly always
			if rest[0] != string(second) {
				continue
			}
		} else if !t.spells(second, rest[0]) {
			continue
		}
		end := stop
		for _, element := range rest[1:] {
			var w []byte
			if w, end = t.next(end); w == nil || !t.spells(w, element) {
				end = 0
				break
			}
		}
		if end > 0 {
			return &phrases[k], end
		}
	}
	return nil, 0
}

// matches reports whether word is what a phrase element asks for.
func matches(element string, word []byte) bool {
	if stem, ok := strings.CutSuffix(element, "*"); ok {
		return len(word) >= len(stem) && string(word[:len(stem)]) == stem && len(word)-len(stem) <= maxEnding
	}
	return element == string(word)
}

// spells is matches with posing letters and leetspeak undone.
func (t *tokenizer) spells(w []byte, element string) bool {
	if matches(element, w) {
		return true
	}
	for _, c := range w {
		switch {
		case c >= utf8.RuneSelf:
			sk, ok := text.LooksLike(string(w))
			return ok && text.MixedScript(string(w)) && matches(element, []byte(sk))
		case c == '@' || c == '$' || c <= '9':
			alt := unleet(w, t.letters[:0])
			return alt != nil && matches(element, alt)
		}
	}
	return false
}

// next returns the word behind i as it is looked up and where it ends; nil where no
// phrase can go on. A phrase goes on over line breaks.
func (t *tokenizer) next(i int) (w []byte, stop int) {
	from := i
	for i < len(t.s) && (t.s[i] <= ' ' || t.s[i] == '-') && i-from < 16 {
		i++
	}
	if i >= len(t.s) || i == from && t.s[i] != '\'' {
		return nil, 0
	}
	stop = t.wordEnd(i, min(len(t.s), i+len(t.ahead)))
	if stop == i {
		return nil, 0
	}
	w, _ = lowerInto(t.ahead[:], t.s[i:stop])
	return w, stop
}

func (t *tokenizer) emit(start, stop int, set classSet, forms form, flags tokenFlags) {
	flags |= t.pending
	if c := t.s[start]; c >= 'A' && c <= 'Z' {
		flags |= capital
	}
	if t.quote != 0 {
		flags |= quoted
	}
	if t.comment {
		flags |= inComment
	}
	t.out = append(t.out, token{int32(start), int32(stop), t.sentence, set, nil, forms, flags})
	t.mask.addAll(set)
	t.pending, t.announced = 0, false
}

func (t *tokenizer) sense(start, stop int, s *sense, flags tokenFlags) {
	if s.set.empty() {
		flags |= foreign
		t.strange++
	}
	t.emit(start, stop, t.standing(start, stop, s.set), s.forms, flags)
	if !s.alt.empty() {
		t.out[len(t.out)-1].also = s
		t.mask.addAll(s.alt)
	}
}

// ideographs reads a run of a script without spaces: the longest term at each place, and
// what lies between two terms as one token.
func (t *tokenizer) ideographs(i, end int) int {
	unknown := i
	for i < end {
		r, size := utf8.DecodeRuneInString(t.s[i:])
		if !text.Ideographic(r) {
			break
		}
		var best term
		for _, g := range t.lex.runs[r] {
			if len(g.spelling) > len(best.spelling) && strings.HasPrefix(t.s[i:], g.spelling) {
				best = g
			}
		}
		if best.spelling == "" {
			i += size
			continue
		}
		if unknown < i {
			t.emit(unknown, i, classSet{}, 0, foreign)
		}
		t.sense(i, i+len(best.spelling), best.sense, foreign)
		i += len(best.spelling)
		unknown = i
	}
	if unknown < i {
		t.emit(unknown, i, classSet{}, 0, foreign)
	}
	return i
}

// segment reads letters without any boundaries as the longest known words in turn.
func (t *tokenizer) segment(i, end int) {
	for i < end {
		stop := 0
		var found *sense
		for n := min(16, end-i); n >= 2 && stop == 0; n-- {
			if w, _ := lowerInto(t.buf[:], t.s[i:i+n]); t.lex.words[string(w)] != nil && !t.lex.words[string(w)].set.empty() {
				stop, found = i+n, t.lex.words[string(w)]
			}
		}
		if stop == 0 {
			i++
			continue
		}
		if p, e := t.together(stop, end, found.phrases); p != nil {
			t.emit(i, e, p.set, p.forms, 0)
			i = e
			continue
		}
		t.emit(i, stop, found.set, found.forms, 0)
		i = stop
	}
}

// together is phrase for letters without boundaries.
func (t *tokenizer) together(i, end int, phrases []phrase) (*phrase, int) {
	for k := range phrases {
		rest := strings.Join(phrases[k].rest, "")
		if len(rest) <= end-i && strings.EqualFold(t.s[i:i+len(rest)], rest) {
			return &phrases[k], i + len(rest)
		}
	}
	return nil, 0
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

func runLen(s string, at int, in func(byte) bool) int {
	n := 0
	for at+n < len(s) && in(s[at+n]) {
		n++
	}
	return n
}
