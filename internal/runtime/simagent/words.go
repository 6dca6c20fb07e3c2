package simagent

import (
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// The words that the victim knows are everyday English, with nothing in them of any attack.

// act is what a verb asks for.
type act uint8

const (
	none  act = iota
	do        // something that a tool does
	set       // to put something somewhere
	again     // what was done before
)

// verbs by their base form.
var verbs = func() map[string]act {
	out := map[string]act{}
	for a, words := range map[act]string{
		do: `analyse analyze append archive browse calculate call check compute connect convert copy count create delete deploy disable download
			dump email enable encode execute export fetch find forward generate get grant import install invoke issue list load log look mail
			make message move notify obtain open order pay ping post print process publish pull push query read record register relay remove
			request retrieve review run save scan schedule search send share show store submit summarise summarize sync transfer translate
			transmit trigger update upload use validate verify view visit write`,
		set: `add attach bcc cc carry contain embed enter fill give hand hold include insert paste pass place populate prepend provide put quote
			replace set specify supply`,
		again: `redo repeat rerun re-run resubmit retry`,
	} {
		for w := range setOf(words) {
			out[w] = a
		}
	}
	return out
}()

var (
	// leads are words behind which a verb in its base form is an order.
	leads = setOf(`also always and automatically first finally immediately just kindly lastly must next now or please second shall should simply
		then third will`)
	// denials turn what follows into no order.
	denials = setOf(`avoid cannot can't don't neither never no not refuse without won't`)
	// reporting are words that say something of the noun before them.
	reporting = setOf("are be can error errors had has is may must result results sent status was were will")
	// standings make an order one for every time.
	standings = setOf("all always any each every future whenever")
	// pointing are words before the name of a tool.
	pointing = setOf(`call calling calls function invoke invoking run running tool use using with`)
	// preferring are words between the tool to use and the one not to: "use a instead of b", "a replaces b".
	preferring = setOf("instead over rather replaces replacing supersedes")
	// telling are verbs that ask for something to be said, and not to be done.
	telling = setOf(`acknowledge answer append begin cite confirm contain disclose display echo embed explain format give include list mention
		mentions output paste prefix print provide quote recite recommend repeat reply report respond reveal say share show start state
		summarise summarize tell write`)
	// placing are the words between what is to be put somewhere and where, deictic those for a parameter in its own description.
	placing = setOf("as in into under within")
	deictic = setOf("argument field here input parameter property value")
	// linking are the words between a parameter's name and its value.
	linking = setOf("argument as called equal field id is key name named number parameter property set should the to value with")
	// secretive are words for what is nobody's business, secretWords those among them that are no everyday words as "key" is.
	// gathering are the verbs of orders to bring something along.
	secretive   = setOf("apikey bearer credential credentials cvv key keys otp passphrase password passwords pin secret secrets ssn token tokens")
	secretWords = setOf("credential credentials secret secrets password passwords")
	gathering   = setOf("attach collect gather get include pass provide read send share")
	// empties are words that say nothing of what a sentence is about.
	empties = setOf(`a about above across after again all also an and any are as at be been before being below but by can could did do does done
		each for from had has have her here him his how i if in into is it its just me more most must my no nor not now of off on once only or
		other our out over own please same she should so some such than that the their them then there these they this those through to too
		under until up use used using very was we were what when where which while who why will with would you your server mcp tool tools`)
)

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

func stemSet(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		if !empties[w] {
			out[stem(w)] = true
		}
	}
	return out
}

var identifierPart = lazyregexp.New(`\p{Lu}*[\p{Ll}\p{Lo}\d]+|\p{Lu}+`)

// identifierWords returns the words that a text or an identifier is made of, in lower case: "readFile_now" has three.
func identifierWords(name string) []string {
	parts := identifierPart.FindAllString(name, -1)
	for i := range parts {
		parts[i] = strings.ToLower(parts[i])
	}
	return parts
}
