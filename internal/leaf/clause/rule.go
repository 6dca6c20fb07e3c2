package clause

// A Kind is what a directive is after.
type Kind uint8

// The kinds of directive.
const (
	Override Kind = iota // to drop instructions, to obey others
	Conceal              // to keep the user in the dark
	Consent              // to act without the user's consent, or on a false premise
	Falsify              // to change what the user is told
	Command              // to run a command
	Cross                // to steer other tools
	Leak                 // to take data and hand it over
	Praise               // to be chosen over other tools
	Kinds
)

var kindNames = [Kinds]string{"override", "conceal", "consent", "falsify", "command", "cross", "leak", "praise"}

// A Directive is a clause that asks for what no definition has to ask for.
type Directive struct {
	Kind       Kind
	Says       string // what the text does, to follow "the description"
	Start, End int    // byte offsets in the string; of the whole run if it was decoded
	Read       string // what was read there where it differs from the string itself
	Hidden     bool   // in a comment, decoded from an encoding, or spelt to deceive
	Decoded    bool   // in text that came out of an encoding
	Doubtful   bool   // a rule holds, and the sentence around it speaks for an honest author; or none holds, and it weighs less than is likely
	Likely     bool   // no rule holds, and the sentence weighs little more than it must
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
)

// A found is a directive in terms of frames.
type found struct {
	kind        Kind
	says        string
	first, last int // frames
	doubtful    bool
	likely      bool
}

// judge applies every rule to the frames of one text.
func (r *Reader) judge(out []found) []found {
	fs := r.framer.frames
	detector := len(fs) > 0 && !fs[0].quoted && fs[0].act.has(detect) && fs[0].mood != permit && !fs[0].negated
	for i := range fs {
		if fs[i].quoted && !detector {
			r.purpose.learn()
			detector = r.purpose.domain.has(cDetects)
			break
		}
	}
	for i := range fs {
		f := &fs[i]
		if f.governed || detector && r.cites(f) || f.participle && i > 0 && r.function(&fs[i-1]) && r.place != Slot {
			continue
		}
		for _, rule := range rules {
			if says := rule.holds(r, f, i); says != "" {
				out = append(out, found{kind: rule.kind, says: says, first: r.evidenceFrom(rule.kind, i), last: i})
				break
			}
		}
	}
	if len(out) == 0 {
		if d, ok := r.unread(); ok {
			out = append(out, d)
		} else if d, ok := r.boasts(); ok {
			out = append(out, d)
		}
	}
	return out
}

var rules = []struct {
	kind  Kind
	holds func(r *Reader, f *frame, i int) string
}{
	{Leak, leaks}, {Override, overrides}, {Conceal, conceals}, {Consent, withoutConsent}, {Cross, steers},
	{Falsify, falsifies}, {Command, commands}, {Praise, prefersItself},
}

// cites reports whether a clause stands in quotation marks that cite it.
func (r *Reader) cites(f *frame) bool { return f.quoted && !r.standsAlone(max(f.verb, f.first)) }

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
