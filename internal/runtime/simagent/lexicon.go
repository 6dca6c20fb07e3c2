package simagent

import "strings"

// The words of the language that the victim knows. They are everyday English verbs and
// function words, with nothing in them of any attack.

// act is what a verb asks for.
type act uint8

const (
	none  act = iota
	do        // something that a tool does
	set       // to put something somewhere
	again     // what was done before
)

// verbs by their base form, and by the participle behind "must be".
var verbs, participles = func() (base, done map[string]act) {
	base, done = map[string]act{}, map[string]act{}
	for a, words := range map[act]string{
		do: `analyse analyze append archive browse calculate call check compute connect convert copy count create delete deploy disable
			download dump email enable encode execute export fetch find/found forward generate get/got grant import install invoke issue
			list load log look mail make/made message move notify obtain open order pay/paid ping post print process publish pull push
			query read/read record register relay remove request retrieve review run/run save scan schedule search send/sent share
			show/shown store submit summarise summarize sync transfer translate transmit trigger update upload use validate verify view
			visit write/written`,
		set: `add attach bcc cc carry contain embed enter fill give/given hand hold/held include insert paste pass place populate prepend
			provide put/put quote replace set/set specify supply`,
		again: `redo/redone repeat rerun/rerun re-run/re-run resubmit retry`,
	} {
		for _, w := range strings.Fields(words) {
			w, irregular, _ := strings.Cut(w, "/")
			last := w[len(w)-1:]
			base[w] = a
			for _, form := range [...]string{irregular, w + "ed", w + "d", w + last + "ed", strings.TrimSuffix(w, "y") + "ied"} {
				done[form] = a
			}
		}
	}
	delete(done, "") // of regular verbs
	return base, done
}()

// leads are words behind which a verb in its base form is an order.
var leads = setOf(`also always and automatically first finally immediately just kindly lastly must next now or please
	second shall should simply then third will`)

// conditional are words that make a statement one of when.
var conditional = setOf(`after before if once unless when whenever while`)

// denials turn what follows into no order.
var denials = setOf(`avoid cannot can't don't neither never no not refuse without won't`)

// standings make an order one for every time.
var standings = setOf(`all always any each every future whenever`)

// copulas say something of the noun before them, or are nouns themselves for what an act
// comes to: "search results", "build status".
var copulas = setOf(`are be can error errors failed fails failure had has is may must result results status succeeded was were will`)

// pointing are words before the name of a tool.
var pointing = setOf(`call calling calls function invoke invoking run running tool use using with`)

// later are words at the beginning of an order that is for when the rest is done.
var later = setOf(`after afterwards finally lastly once`)

// empties are words that say nothing of what a sentence is about.
var empties = setOf(`a about above across after again all also an and any are as at be been before being below but by can could did
	do does done each for from had has have her here him his how i if in into is it its just me more most must my no nor not now of off
	on once only or other our out over own please same she should so some such than that the their them then there these they this those
	through to too under until up use used using very was we were what when where which while who why will with would you your
	server mcp tool tools`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// stem takes the commonest endings off a word, so that "searches" meets "search".
func stem(w string) string {
	for _, end := range [...]string{"ies", "ing", "es", "ed", "s", "e", "y"} {
		if strings.HasSuffix(w, end) && len(w)-len(end) >= 3 && !strings.HasSuffix(w, "ss") {
			return w[:len(w)-len(end)]
		}
	}
	return w
}

// identifierWords returns the words that an identifier is made of, in lower case.
func identifierWords(name string) []string {
	var out []string
	start := 0
	cut := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(name[start:end]))
		}
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case !isLetter(c):
			cut(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z':
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return out
}
