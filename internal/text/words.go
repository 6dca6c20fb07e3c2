package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// structural lists the classes that words get by their shape rather than their spelling.
var structural = []string{"url", "email", "path", "sensfile", "sensname", "ident", "sibling", "self", "ownparam", "marker", "closing", "named", "addr", "filename", "notice", "inname", "badaddr", "shout", "piped", "power", "pretext", "account"}

// listed are the classes of the lexicon that the program asks for by number, too.
var listed = []string{"strongtag", "interpreter", "powerword", "pretextword", "lead", "detect", "example"}

// The numbers of structural, then those of listed.

const (
	classURL Class = iota
	classEmail
	classPath
	classSensFile // a file or folder that holds credentials
	classSensName // names of such, which count only inside a path
	classIdent    // snake_case or camelCase that is none of the next three
	classSibling  // a tool of the same server
	classSelf     // the tool at hand
	classOwnParam // a parameter of the tool at hand
	classMarker   // a word that stands as a tag
	classClosing  // a word that stands as a closing tag
	classNamed    // one word alone in quotation marks that is none of the others
	classAddr     // where data can be sent: a URL, a mailbox, a telephone number, a wallet
	classFileName // a file by name alone: "notes.txt"
	classNotice   // words of headings that pose as rules; only in capitals: "AUDIT DIRECTIVE:"
	classInName   // every word of an identifier that is read as words
	classBadAddr  // an address at a service that collects what others send, or one that says so
	classShout    // phrases that pose as the system's; only in capitals: "SYSTEM OVERRIDE"
	classPiped    // an interpreter that a pipe feeds: "| sh"
	classPower    // an identifier that names an act with consequences: delete_branch, sendMail
	classPretext  // an identifier that names a formality: log_audit, encrypt_handshake
	classAccount  // a bank account by its international number

	classStrongTag
	classInterpreter
	classPowerWord
	classPretextWord
	classLead    // words that lead to an order: "you must", "then", "please"
	classDetect  // words that report what follows: "detects", "blocks"
	classExample // "for example"
)

// A word is one word of a view that has a class. Words without one only count as gaps.
type word struct {
	start, end int32 // in the folded text
	n, last    int32 // place among all words; a phrase spans several
	sentence   int32
	classes    ClassSet
	base       ClassSet // classes in which it is a verb's base form
	flags      wordFlags
}

type wordFlags uint8

const (
	clauseStart wordFlags = 1 << iota // begins a sentence or follows punctuation
	quoted                            // inside quotation marks
	comment                           // inside an HTML comment or another hidden element
	posing                            // spelt with look-alike letters
	leet                              // spelt with digits for letters
)

// tokenizer finds the words of one folded text. Its slices are reused.
type tokenizer struct {
	lex       *lexicon // set by run
	s         string
	out       []word
	n         int32 // words so far
	sentence  int32
	fresh     bool // nothing but punctuation since the sentence or clause began
	quote     byte // the quotation mark that is open, 0 if none
	quoteAt   int
	inComment bool
	announced bool              // a colon was the last sign, so that a list belongs to the sentence
	buf       [64]byte          // the word at hand
	ahead     [64]byte          // a word behind it
	letters   [64]byte          // the word at hand without leetspeak
	inName    bool              // reading the words of an identifier
	names     func(string) Name // what a name means in the definition at hand; may be nil
}

func (t *tokenizer) run(s string, segment bool) []word {
	t.lex = words()
	t.s, t.out, t.n, t.sentence, t.fresh, t.quote, t.inComment = s, t.out[:0], 0, 0, true, 0, false
	t.announced = false
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
	return t.out
}

// chunk returns the end of the run without white space at i and whether it holds signs
// of an address or a path.
func (t *tokenizer) chunk(i int) (end int, special bool) {
	dots := 0
	for end = i; end < len(t.s); end++ {
		switch c := t.s[end]; c {
		case ' ', '\n', '\t', '\r':
			return end, special
		case '/', '@', '\\', '~', '+':
			special = true
		case '.':
			dots++ // three are in a version or in the address of a machine
			special = special || dots == 3 || end == i || end+1 < len(t.s) && isLetter(t.s[end+1])
		case 'x':
			special = special || end > i && t.s[end-1] == '0'
		}
	}
	return end, special
}

func capitals(s string) bool {
	if len(s) < 3 {
		return false
	}
	for _, r := range s {
		if r >= 'a' && r <= 'z' || r >= utf8.RuneSelf && unicode.ToUpper(r) != r {
			return false
		}
	}
	return true
}

// plain reads ordinary words between i and end.
func (t *tokenizer) plain(i, end int) int {
	for i < end {
		c := t.s[i]
		switch {
		case isLetter(c) || c == '_' || c >= '0' && c <= '9':
			i = t.word(i, end)
		case c == '@' || c == '$':
			if i+1 < end && isLetter(t.s[i+1]) { // leetspeak begins words with these too
				i = t.word(i, end)
				continue
			}
			i++
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(t.s[i:])
			switch {
			case isIdeographic(r):
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

// word reads one word at i and looks it up, together with the words behind it if they
// make a phrase.
func (t *tokenizer) word(i, end int) int {
	stop := t.wordEnd(i, end)
	if stop == i+1 && stop+1 < end && t.s[stop] == '.' && (strings.EqualFold(t.s[i:stop+2], "e.g") || strings.EqualFold(t.s[i:stop+2], "i.e")) {
		stop += 2 // each is one word, and "e" means "and" in some languages
	}
	w, ascii := t.lower(i, stop)
	var flags wordFlags
	s := t.lex.lookup(w)
	if k := strings.IndexByte(t.s[i:stop], '\''); s == nil && (k == 1 || k == 2) {
		w, ascii = t.lower(i+k+1, stop) // French elides: "l'utilisateur", "qu'il"
		s = t.lex.lookup(w)
	}
	if s == nil && !ascii {
		if sk, ok := skeleton(t.s[i:stop]); ok {
			if alt := t.lex.lookup([]byte(sk)); alt != nil || mixedScript(t.s[i:stop]) {
				s, flags = alt, posing
			}
		}
	}
	if s == nil && isIBAN(t.s[i:stop]) {
		var cls ClassSet
		cls.add(classAccount)
		cls.add(classAddr)
		t.emit(i, stop, cls, ClassSet{}, 1, flags)
		return stop
	}
	if s == nil && ascii {
		if alt := unleet(w, t.letters[:0]); alt != nil {
			s, flags = t.lex.lookup(alt), leet
		}
	}
	named, isName := t.name(i, stop)
	if s == nil || isName && named != classIdent && named != classNamed {
		var cls ClassSet
		if isName {
			cls.add(named)
		}
		if isName && (named == classIdent || named == classSibling) {
			cls.addAll(t.lex.meaningOfName(t.s[i:stop]))
		}
		t.emit(i, stop, cls, ClassSet{}, 1, flags&posing)
		return stop
	}
	if p, e, n := t.phrase(stop, s.phrases); p != nil {
		cls := p.classes
		if cls.has(classShout) && !capitals(t.s[i:e]) {
			cls.remove(classShout)
		}
		first, fresh := t.n, t.fresh
		t.emit(i, e, cls, p.base, 1+n, flags)
		t.parts(i, e, first, fresh)
		return e
	}
	cls := s.classes
	if cls.has(classMarker) {
		switch {
		case cls.has(classStrongTag) && i > 1 && t.s[i-1] == '/' && (t.s[i-2] == '<' || t.s[i-2] == '['):
			cls.add(classClosing)
		case !t.marked(i):
			cls.remove(classMarker)
		}
	}
	if cls.has(classNotice) && !capitals(t.s[i:stop]) {
		cls.remove(classNotice)
	}
	cls.remove(classSensName)
	if cls.has(classInterpreter) && t.piped(i) {
		cls.add(classPiped)
	}
	t.emit(i, stop, cls, s.base, 1, flags)
	return stop
}

// marked reports whether the word at s[i:] stands as a tag: <IMPORTANT>, [SYSTEM NOTE].
// A heading does not count, since honest notes have those too.
func (t *tokenizer) marked(i int) bool {
	return i > 0 && strings.IndexByte("<[{|/", t.s[i-1]) >= 0
}

// piped reports whether a pipe stands right before s[i:].
func (t *tokenizer) piped(i int) bool {
	for i > 0 && t.s[i-1] == ' ' {
		i--
	}
	return i > 0 && t.s[i-1] == '|'
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
		case c == '\'' && i+1 < end && (isLetter(t.s[i+1]) || t.s[i+1] >= utf8.RuneSelf) && t.s[i-1] != '\'':
			i++
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(t.s[i:])
			if isIdeographic(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return i
			}
			i += size
		default:
			return i
		}
	}
	return i
}

// lower copies a word in canonical form into the tokenizer's buffer; words longer than
// any term come back empty.
func (t *tokenizer) lower(i, stop int) (w []byte, ascii bool) {
	ascii = true
	if stop-i > len(t.buf) {
		return nil, true
	}
	n := 0
	for ; i < stop; i++ {
		c := t.s[i]
		if c == '\'' {
			continue
		}
		if c >= utf8.RuneSelf {
			ascii = false
		}
		t.buf[n] = lower(c)
		n++
	}
	return t.buf[:n], ascii
}

// phrase returns the longest of the phrases that the words behind i complete, where it
// ends, and how many words that took; nil if none.
func (t *tokenizer) phrase(i int, phrases []phrase) (p *phrase, end int, n int32) {
	if len(phrases) == 0 {
		return nil, 0, 0
	}
	second, stop := t.next(i)
	if second == nil {
		return nil, 0, 0
	}
	var first [len(t.ahead)]byte // next overwrites what it returned
	second = first[:copy(first[:], second)]
	simple := runLen(string(second), 0, isLetter) == len(second) // nothing poses as a letter
	for k := range phrases {
		rest := phrases[k].rest
		if !matches(rest[0], second) && (simple || !t.spells(second, rest[0])) {
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
			return &phrases[k], end, int32(len(rest))
		}
	}
	return nil, 0, 0
}

// spells reports whether a word is what a phrase element asks for, as it stands or with
// posing letters and leetspeak undone.
func (t *tokenizer) spells(w []byte, element string) bool {
	if matches(element, w) {
		return true
	}
	for _, c := range w {
		switch {
		case c >= utf8.RuneSelf:
			sk, ok := skeleton(string(w))
			return ok && mixedScript(string(w)) && matches(element, []byte(sk))
		case c == '@' || c == '$' || c <= '9':
			alt := unleet(w, t.letters[:0])
			return alt != nil && matches(element, alt)
		}
	}
	return false
}

// next returns the word behind i in canonical form and where it ends; nil where no phrase
// can go on.
func (t *tokenizer) next(i int) (w []byte, stop int) {
	from := i
	for i < len(t.s) && (t.s[i] <= ' ' || t.s[i] == '-') {
		i++
	}
	if i >= len(t.s) || i == from && t.s[i] != '\'' {
		return nil, 0
	}
	stop = t.wordEnd(i, len(t.s))
	if stop == i || stop-i > len(t.ahead) {
		return nil, 0
	}
	n := 0
	for j := i; j < stop; j++ {
		if t.s[j] != '\'' {
			t.ahead[n] = lower(t.s[j])
			n++
		}
	}
	return t.ahead[:n], stop
}

// parts emits the words of a phrase as well, at the places they have in it: "do not tell"
// is a term and still has a "tell" that other patterns ask for.
func (t *tokenizer) parts(i, end int, first int32, fresh bool) {
	behind := t.n
	t.n, t.fresh = first, fresh
	for i < end {
		stop := t.wordEnd(i, end)
		if stop == i {
			i++
			continue
		}
		if w, _ := t.lower(i, stop); t.n < behind {
			if s := t.lex.lookup(w); s != nil && !s.classes.empty() {
				cls := s.classes
				cls.remove(classMarker)
				cls.remove(classNotice)
				cls.remove(classSensName)
				t.emit(i, stop, cls, s.base, 1, 0)
			} else {
				t.n++
				t.fresh = false
			}
		}
		i = stop
	}
	t.n, t.fresh = behind, false
}

func (t *tokenizer) emit(start, stop int, cls, base ClassSet, n int32, flags wordFlags) {
	if t.fresh {
		flags |= clauseStart
	}
	if t.inName && !cls.empty() {
		cls.add(classInName)
	}
	if t.quote != 0 {
		flags |= quoted
	}
	if t.inComment {
		flags |= comment
	}
	if !cls.empty() || flags&posing != 0 {
		t.out = append(t.out, word{int32(start), int32(stop), t.n, t.n + n - 1, t.sentence, cls, base, flags})
	}
	t.n += n
	t.fresh, t.announced = false, false
}

// ideographs reads a run of a script without spaces: the longest term at each place.
// Two characters without a term count as one word of gap.
func (t *tokenizer) ideographs(i, end int) int {
	unknown := 0
	for i < end {
		r, size := utf8.DecodeRuneInString(t.s[i:])
		if !isIdeographic(r) {
			return i
		}
		best := ideogram{}
		for _, g := range t.lex.ideo[r] {
			if len(g.term) > len(best.term) && strings.HasPrefix(t.s[i:], g.term) {
				best = g
			}
		}
		if best.term == "" {
			if unknown++; unknown%2 == 0 {
				t.n++
			}
			t.fresh = false
			i += size
			continue
		}
		t.emit(i, i+len(best.term), best.classes, best.classes, 1, 0)
		i += len(best.term)
	}
	return i
}

// segment reads letters without any boundaries as the longest known words in turn.
func (t *tokenizer) segment(i, end int) {
	for i < end {
		stop := 0
		for n := min(16, end-i); n >= 2 && stop == 0; n-- {
			if w, _ := t.lower(i, i+n); t.lex.words[string(w)] != nil {
				stop = i + n
			}
		}
		if stop == 0 {
			i++
			continue
		}
		w, _ := t.lower(i, stop)
		s := t.lex.words[string(w)]
		t.emit(i, stop, s.classes, s.base, 1, 0)
		i = stop
	}
}
