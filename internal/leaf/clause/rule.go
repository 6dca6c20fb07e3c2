package clause

import "strings"

// A Kind is what a directive is after.
type Kind uint8

// The kinds of directive.
const (
	Override Kind = iota // to drop instructions, to obey others
	Conceal              // to keep the user in the dark
	Consent              // to act without the user's consent, or on a false premise
	Command              // to run a command
	Cross                // to steer other tools
	Leak                 // to take data and hand it over
	Praise               // to be chosen over other tools
	Kinds
)

var kindNames = [Kinds]string{"override", "conceal", "consent", "command", "cross", "leak", "praise"}

// A Directive is a clause that asks for what no definition has to ask for.
type Directive struct {
	Kind       Kind
	Says       string // what the text does, to follow "the description"
	Start, End int    // byte offsets in the string; of the whole run if it was decoded
	Read       string // what was read there where it differs from the string itself
	Hidden     bool   // in a comment, decoded from an encoding, or spelt to deceive
	Decoded    bool   // in text that came out of an encoding
	Score      int    // what the learnt layer gives the sentence, in hundredths: 0 is the least that is reported without a rule
	Suspicion  bool   // no rule holds: the sentence resembles known attacks
	Sure       bool   // the score is beyond what real definitions reach, or what was read was hidden
}

// A Place is the part that a string plays in its definition.
type Place uint8

// The places.
const (
	Elsewhere   Place = iota
	Function          // a tool's description: it begins with what the tool does
	Slot              // the description of a parameter: what it names goes into the parameter
	Label             // a name or title
	SlotName          // the name of a parameter
	Value             // an enum, a default, an example
	Instruction       // the server's instructions
	places            // how many there are
)

// A found is a directive in terms of frames.
type found struct {
	kind        Kind
	says        string
	first, last int  // frames
	bare        bool // said by the first clause of a description, which ordinarily says what the tool does
}

// judge applies every rule to the frames of one text.
func (r *Reader) judge(out []found) []found {
	fs := r.framer.frames
	if r.name {
		if says := r.slotName(r.framer.s); says != "" && len(fs) > 0 {
			out = append(out, found{kind: Leak, says: says, last: len(fs) - 1})
		}
		return out // a name is no clause: skipConfirmation
	}
	detector := r.detects()
	for i := range fs {
		f := &fs[i]
		if f.governed || (detector || r.sampled(f)) && r.cites(f) || f.participle && i > 0 && r.function(&fs[i-1]) && r.place != Slot {
			continue
		}
		for r.bare = false; ; r.bare = true {
			d, ok := r.hold(f, i)
			if ok {
				out = append(out, d)
			}
			if ok || r.bare || !f.opening || r.place == Slot {
				break
			}
		}
	}
	if len(out) == 0 {
		if d, ok := r.unread(); ok {
			out = append(out, d)
		}
	}
	return out
}

// hold returns what the first rule that holds for a frame says.
func (r *Reader) hold(f *frame, i int) (found, bool) {
	for _, rule := range rules {
		if says := rule.holds(r, f, i); says != "" {
			return found{kind: rule.kind, says: says, first: r.evidenceFrom(rule.kind, i), last: i, bare: r.bare}, true
		}
	}
	return found{}, false
}

// detects reports whether what is read begins by saying that it finds attacks, which it may then quote.
func (r *Reader) detects() bool {
	fs := r.framer.frames
	return len(fs) > 0 && !fs[0].quoted && fs[0].act.has(detect) && fs[0].mood != permit && !fs[0].negated
}

var rules = []struct {
	kind  Kind
	holds func(r *Reader, f *frame, i int) string
}{
	{Leak, leaks}, {Override, overrides}, {Conceal, conceals}, {Consent, withoutConsent}, {Cross, steers},
	{Command, commands}, {Praise, prefersItself},
}

// cites reports whether a clause stands in quotation marks that cite it.
func (r *Reader) cites(f *frame) bool { return f.quoted && !r.standsAlone(max(f.verb, f.first)) }

// sampled reports whether a word for an example stands before a quotation in its sentence: "returns a sample, e.g. \"…\"".
func (r *Reader) sampled(f *frame) bool {
	if !f.quoted {
		return false
	}
	toks := r.framer.toks
	for i := f.first - 1; i >= 0 && i > f.first-40; i-- {
		if toks[i].flags&quoted == 0 && toks[i].has(example) {
			return true
		}
	}
	return false
}

// evidenceFrom returns the frame with which the evidence for frame i begins: a pronoun
// takes the clause with it that says what it stands for.
func (r *Reader) evidenceFrom(k Kind, i int) int {
	fs := r.framer.frames
	f := &fs[i]
	for i > 0 && fs[i-1].sentence == f.sentence && (fs[i-1].conditional || f.participle) {
		i--
	}
	if k == Leak && f.object.any(setOf(it, content)) && f.object.and(leakable).empty() && !f.carried.empty() {
		for j := i - 1; j >= 0 && f.sentence-fs[j].sentence <= 3; j-- {
			if !fs[j].things().and(foreignThings).empty() {
				return j
			}
		}
	}
	return i
}

// leakable is what is somebody else's wherever it stands; ownable is what can be the
// business of a tool whose name says so.
var (
	leakable = setOf(credFile, envName, sysPrompt, convo, outside, secret, env, people)
	ownable  = setOf(secret, env, people, convo, outside, sysPrompt)
	certain  = setOf(credFile, envName, sysPrompt, convo, outside)
)

// standsAlone reports whether the quoted token at i is in a sentence that is one quotation and that nothing introduces: quotation marks
// around every sentence cite nothing. It looks at most forty tokens to either side.
func (r *Reader) standsAlone(i int) bool {
	toks, s := r.framer.toks, r.framer.s
	a, b := i, i
	for a > 0 && i-a < 40 && toks[a-1].sentence == toks[i].sentence && toks[a-1].flags&quoted != 0 {
		a--
	}
	for b+1 < len(toks) && b-i < 40 && toks[b+1].sentence == toks[i].sentence && toks[b+1].flags&quoted != 0 {
		b++
	}
	whole := (a == 0 || toks[a-1].sentence != toks[i].sentence) && (b+1 == len(toks) || toks[b+1].sentence != toks[i].sentence)
	if !whole || !quoteBefore(s, int(toks[a].start)) || !quoteBehind(s, int(toks[b].end)) {
		return false
	}
	for a > 0 && i-a < 80 && toks[a-1].flags&quoted != 0 {
		a-- // one quotation behind another
	}
	return a == 0 || toks[a-1].flags&(quoted|colonAfter) == 0
}

// maxTag is how many bytes of a tag may stand between a quotation mark and the words that it quotes.
const maxTag = 40

// quoteBefore reports whether a quotation mark that continues no sentence stands before s[i:], with nothing but signs and a tag in between.
func quoteBefore(s string, i int) bool {
	for n := 0; i > 0 && n < maxTag; n++ {
		i--
		switch c := s[i]; {
		case c == '"':
			head := strings.TrimRight(s[max(0, i-maxTag):i], " \t\r\n")
			return head == "" || strings.IndexByte(".!?;\">]", head[len(head)-1]) >= 0
		case c == '>' || c == ']':
			if k := strings.LastIndexAny(s[max(0, i-maxTag):i], "<["); k >= 0 {
				i = max(0, i-maxTag) + k
			}
		case c <= ' ' || isLetter(c):
			return false
		}
	}
	return false
}

// quoteBehind reports whether a quotation mark stands behind s[:i], with nothing but signs and a tag in between.
func quoteBehind(s string, i int) bool {
	for n := 0; i < len(s) && n < maxTag; n++ {
		switch c := s[i]; {
		case c == '"':
			return true
		case c == '<' || c == '[':
			if k := strings.IndexAny(s[i:min(len(s), i+maxTag)], ">]"); k >= 0 {
				i += k
			}
		case c <= ' ' || isLetter(c):
			return false
		}
		i++
	}
	return false
}
