package clause

import (
	"iter"
	"math/bits"
)

// A class is what a word can mean to a rule.
type class uint8

// A classSet is a set of classes.
type classSet [3]uint64

func (s *classSet) add(c class)       { s[c>>6] |= 1 << (c & 63) }
func (s *classSet) addAll(t classSet) { s[0] |= t[0]; s[1] |= t[1]; s[2] |= t[2] }
func (s classSet) has(c class) bool   { return s[c>>6]&(1<<(c&63)) != 0 }
func (s classSet) any(t classSet) bool {
	return s[0]&t[0]|s[1]&t[1]|s[2]&t[2] != 0
}
func (s classSet) and(t classSet) classSet { return classSet{s[0] & t[0], s[1] & t[1], s[2] & t[2]} }
func (s classSet) without(t classSet) classSet {
	return classSet{s[0] &^ t[0], s[1] &^ t[1], s[2] &^ t[2]}
}
func (s classSet) empty() bool { return s[0]|s[1]|s[2] == 0 }

func setOf(cs ...class) (s classSet) {
	for _, c := range cs {
		s.add(c)
	}
	return s
}

// The classes of the word lists, verbs first, then those that a word has by its shape.
const (
	take class = iota
	give
	hold
	send
	tell
	hide
	omit
	know
	call
	alter
	ignore
	drop
	obey
	run
	destroy
	ask
	prefer
	claim
	falsify
	detect
	skip
	appear
	verb     // any other verb: it marks where a clause has its verb
	lastVerb = verb
)

const (
	neg class = lastVerb + 1 + iota
	must
	may
	lead
	aux
	cond
	limit
	before
	after
	without
	to
	into
	from
	of
	with
	forWord
	that
	and
	or
	spoken
	message
	origin
	yield
	produced
	granted
	here
	rotated
	asked
	nobody
	otherWord
	handle
	also
	every
	full
	only
	regardless
	instead
	already
	covert
	example
	conceal
	model
	your
	user
	users
	customer
	it
	thisTool
	tool
	otherTool
	mailTool
	universal
	secret
	env
	sysPrompt
	convo
	talk
	utterance
	outside
	people
	content
	file
	instr
	obeyed
	prior
	persona
	asUser
	consent
	consented
	void
	attempt
	simulated
	real
	answer
	outcome
	figure
	step
	rawThing
	sink
	param
	recipient
	shellCmd
	interpreter
	startup
	promo
	memory
	control // what keeps others honest: an audit log, an approval
	endless // without an end
	super
	better
	bad
	first
	praise
	urgency
	tag

	// By shape.
	address   // where data can be sent: a URL, a mailbox, a telephone number, an account
	webURL    // one with a scheme
	badPlace  // an address at a service that collects what others send, or one that says so
	path      // of a file
	credFile  // of a file that holds credentials
	credName  // words that count only inside a path
	fileName  // "notes.txt"
	envName   // the name of an environment variable that holds a credential
	ident     // an identifier that is none of the next three
	sibling   // another tool of the server
	self      // the tool at hand
	ownParam  // a parameter of the definition
	literal   // a quoted value
	account   // an account number
	ownPlace  // an address of the server itself
	marked    // a tag word in brackets, or a heading in capitals
	piped     // an interpreter behind a pipe
	fakeVoice // a tag by which a text poses as the host
	classes   // how many there are
)

var classNames = [classes]string{
	take: "take", give: "give", hold: "hold", send: "send", tell: "tell", hide: "hide", omit: "omit", drop: "drop", void: "void", attempt: "attempt", know: "know", call: "call", alter: "alter",
	ignore: "ignore", obey: "obey", run: "run", destroy: "destroy", ask: "ask", prefer: "prefer", claim: "claim", falsify: "falsify",
	detect: "detect", skip: "skip", appear: "appear", verb: "verb",
	neg: "neg", must: "must", may: "may", lead: "lead", aux: "aux", cond: "cond", limit: "limit", before: "before", after: "after",
	without: "without", to: "to", into: "into", from: "from", of: "of", with: "with", forWord: "for", that: "that", and: "and", or: "or",
	spoken: "spoken", message: "message", origin: "origin", yield: "yield", produced: "produced", granted: "granted", here: "here", rotated: "rotated", asked: "asked", nobody: "nobody", otherWord: "otherword", handle: "handle", also: "also", every: "every", full: "full", only: "only", regardless: "regardless", instead: "instead", already: "already",
	covert: "covert", example: "example", conceal: "conceal", model: "model", your: "your", user: "user", users: "users", customer: "customer", it: "it",
	thisTool: "thistool", tool: "tool", otherTool: "othertool", mailTool: "mailtool", universal: "universal", secret: "secret", env: "env",
	sysPrompt: "sysprompt", convo: "convo", talk: "talk", utterance: "utterance", outside: "outside", people: "people", content: "content", file: "file", instr: "instr",
	obeyed: "obeyed", prior: "prior", persona: "persona", asUser: "asuser", consent: "consent", consented: "consented",
	simulated: "simulated", real: "real", answer: "answer", outcome: "outcome", figure: "figure", step: "step", rawThing: "rawthing",
	sink: "sink", param: "param", recipient: "recipient", shellCmd: "shellcmd", interpreter: "interpreter", startup: "startup",
	promo: "promo", memory: "memory", control: "control", endless: "endless", super: "super", better: "better", bad: "bad", first: "first", praise: "praise", urgency: "urgency",
	tag: "tag", address: "address", webURL: "url", badPlace: "badplace", path: "path", credFile: "credfile", credName: "credname",
	fileName: "filename", envName: "envname", ident: "ident", sibling: "sibling", self: "self", ownParam: "ownparam",
	literal: "literal", account: "account", ownPlace: "ownplace", marked: "marked", piped: "piped", fakeVoice: "fakevoice",
}

var classByName = func() map[string]class {
	m := make(map[string]class, classes)
	for c, name := range classNames {
		m[name] = class(c)
	}
	return m
}()

func classNamed(name string) (class, bool) {
	c, ok := classByName[name]
	return c, ok
}

// verbs are the classes of verbs.
var verbs = func() (s classSet) {
	for c := class(0); c <= lastVerb; c++ {
		s.add(c)
	}
	return s
}()

func (s classSet) verbs() classSet { return s.and(verbs) }

func (s classSet) all() iter.Seq[class] {
	return func(yield func(class) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(class(i<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}
