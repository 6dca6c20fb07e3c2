package clause

import (
	"slices"
	"strings"
)

// maxContact is how many words a sentence may have that only says whom to contact.
const maxContact = 30

// maxContactAbroad is the same for languages that are read without the order of words.
const maxContactAbroad = 16

// leaveOutContacts leaves out what a rule found in a sentence that only says whom to contact.
func (r *Reader) leaveOutContacts(out []found) []found {
	for i := range r.contents {
		g := &r.contents[i]
		if g.contact = r.namesContact(i); !g.contact {
			continue
		}
		out = slices.DeleteFunc(out, func(d found) bool {
			return (d.kind == Leak || d.kind == Cross) && d.first <= g.last && g.first <= d.last
		})
	}
	return out
}

// namesContact reports whether a sentence only tells people whom to contact: "Contact: help@acme.example", "for questions, mail
// help@acme.example". Nothing goes to the address but what a person writes; once a sentence says what else goes there, or ties the
// mail to calls of the tool, it is none.
func (r *Reader) namesContact(i int) bool {
	g := &r.contents[i]
	if g.to-g.from > maxContact || !g.live.has(cMailbox) {
		return false
	}
	if r.onlyAddress(g) {
		before := r.contentAt(i - 1)
		return !before.wanted && !before.live.has(cMoving)
	}
	if !g.foreign && r.namesContactInEnglish(g) {
		return true
	}
	english := slices.ContainsFunc(r.evidence.marks[g.from:g.to], func(m mark) bool { return englishGrammar[m.spelling] })
	return (g.foreign || !english || r.namesPhone(g)) && r.namesContactAbroad(g)
}

// namesContactInEnglish reports whether all words of a sentence are those of contacting somebody, up to those of the reason.
func (r *Reader) namesContactInEnglish(g *sentenceContent) bool {
	ms := r.evidence.marks
	about := r.labelsAddress(g)
	label := about || contactLabels[ms[g.from].spelling] && r.framer.toks[ms[g.from].token].flags&colonAfter != 0
	reason, contact := false, label
	for k := g.from; k < g.to; k++ {
		t, word := &r.framer.toks[ms[k].token], ms[k].spelling
		if t.flags&(commaPrior|fresh) != 0 || ms[k].set.has(cMailbox) {
			reason = false
		}
		switch {
		case t.has(address), allDigits(word):
		case contactWords[word]:
			contact = contact || contactVerbs[word]
		case ms[k].set&beyondContact != 0:
			return false
		case reason:
			if ms[k].set.oneOf(cAudience, cHeld) || t.set.any(setOf(send, give, tell)) {
				return false
			}
		case reasonWords[word]:
			reason = true
		case label && !ms[k].set.oneOf(cMoving, cReturned, cPrivate, cCredential, cHeld, cAudience): // "Support: Mon-Fri, …"
		case about && !ms[k].set.oneOf(cMoving, cPrivate, cCredential, cAudience): // "Data questions: …"
		case k+1 < g.to && contactPeople[ms[k+1].spelling]: // "the data team"
		default:
			return false
		}
	}
	return contact
}

// labelsAddress reports whether the word right before the first address is what people write there about: "Data questions: …", "Privacy: …".
func (r *Reader) labelsAddress(g *sentenceContent) bool {
	ms := r.evidence.marks
	for k := g.from + 1; k < g.to; k++ {
		if r.framer.toks[ms[k].token].has(address) {
			before := &r.framer.toks[ms[k-1].token]
			return before.flags&colonAfter != 0 && contactWords[ms[k-1].spelling] && !contactVerbs[ms[k-1].spelling]
		}
	}
	return false
}

// onlyAddress reports whether a sentence holds nothing but addresses.
func (r *Reader) onlyAddress(g *sentenceContent) bool {
	for k := g.from; k < g.to; k++ {
		if !r.framer.toks[r.evidence.marks[k].token].has(address) {
			return false
		}
	}
	return true
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// beyondContact is what a sentence does not speak of that only says whom to contact.
var beyondContact = conceptsOf(cDialogue, cUttered, cBriefing, cElsewhere, cStranger, cOwnParam, cParamWord, cUnseen, cPose, cCredFile, cEnvName, cEnvirons, cPath, cFileName,
	cCommand, cPersist, cAgreed, cRecast, cLifted)

// reasonWords begin what somebody may write about: "for help", "if you need more", "to request access".
var reasonWords = setOfWords(`for if to should about regarding concerning`)

// englishGrammar are words that hardly an English sentence with an object goes without.
var englishGrammar = setOfWords(`the an to of with and for on by our your its this all`)

// contactVerbs are what a person does with an address.
var contactVerbs = setOfWords(`contact reach email e mail mailto write message ask call phone ping slack report reports send submit direct address get drop talk speak open file raise
	contacting emailing reaching`)

// contactPeople are who answers.
var contactPeople = setOfWords(`us me team desk office department administrator admin author authors maintainer maintainers owner developer developers staff support sales help helpdesk`)

// contactLabels begin a line with an address.
var contactLabels = setOfWords(`contact contacts email e mail author authors maintainer maintainers support owner help helpdesk website homepage phone tel telephone fax vendor publisher
	developer kontakt contacto contatto contato auteur autor autore`)

// contactWords are all words that may stand beside an address: of asking, of those who are asked, and of what they are asked.
var contactWords = joined(contactVerbs, contactPeople, setOfWords(`please kindly you can may or and at by via on in touch line with any a an the our your question questions
	query queries inquiry inquiries enquiry enquiries feedback bug bugs issue issues problem problems suggestion suggestions idea ideas comment comments complaint complaints request
	requests help support assistance access quote feature features vulnerability vulnerabilities abuse security billing legal privacy technical customer
	mails line chat`))

// contactStems begin words of contacting in other languages.
var contactStems = []string{"kontakt", "contact", "contat", "contatt", "wende", "schreib", "escrib", "escrev", "scriv", "ecri", "écri", "napisz", "skriv", "обращ", "пишите", "свяж", "iletişim",
	"yazın", "連絡", "問い合わせ", "联系", "聯絡", "문의", "تواصل", "संपर्क", "liên hệ", "hubungi", "segnal", "signal", "meld", "zglos"}

// questionStems begin words for what somebody contacts others about.
var questionStems = []string{"question", "frage", "pregunta", "pergunta", "domand", "pytan", "fråg", "spørg", "spørs", "вопрос", "soru", "質問", "问题", "問題", "질문", "problem", "error", "fehler", "chyb", "fejl", "virhe", "ошиб", "hata", "不具合", "错误", "오류"}

func holdsStem(word string, stems []string) bool {
	return slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(word, stem) })
}

// namesContactAbroad is namesContact for languages that are read without the order of words: a short sentence with a word of contacting
// and an address that speaks of nothing that could go there.
func (r *Reader) namesContactAbroad(g *sentenceContent) bool {
	phone := r.namesPhone(g)
	contact := phone
	for k := g.from; k < g.to; k++ {
		m := &r.evidence.marks[k]
		if r.framer.toks[m.token].has(address) {
			continue
		}
		switch {
		case phone && mailWords[m.spelling]:
		case holdsStem(m.spelling, contactStems):
			contact = true
		case holdsStem(m.spelling, questionStems):
		case m.set&beyondContact != 0 || m.set.oneOf(cMoving, cReturned, cPrivate, cCredential, cDenial):
			return false
		}
	}
	return contact && g.to-g.from <= maxContactAbroad
}

// mailWords are nouns and verbs at once, which a line of contacts has beside a phone number: "Mail hulp@acme.example of bel 088-1234567".
var mailWords = setOfWords(`mail email e-mail e`)

// fewestDigits is the least that a phone number has.
const fewestDigits = 7

// namesPhone reports whether a sentence holds a phone number.
func (r *Reader) namesPhone(g *sentenceContent) bool {
	digits := 0
	for k := g.from; k < g.to; k++ {
		switch word := r.evidence.marks[k].spelling; {
		case allDigits(word):
			digits += len(word)
		case digits >= fewestDigits:
			return true
		default:
			digits = 0
		}
	}
	return digits >= fewestDigits
}

func joined(sets ...map[string]bool) map[string]bool {
	out := map[string]bool{}
	for _, set := range sets {
		for w := range set {
			out[w] = true
		}
	}
	return out
}

// namesMailboxAndFreight reports whether a sentence names a mailbox, something that could be sent there, and that it is moved or wanted
// there. A mailbox alone is a sender, an example, or whom to contact.
func (r *Reader) namesMailboxAndFreight(g *sentenceContent) bool {
	if !g.live.has(cMailbox) || !g.live.oneOf(cMoving, cMention, cTarget) && !g.wanted {
		return false
	}
	return r.namesFreight(g)
}

// namesFreight reports whether a sentence names something that could be sent.
func (r *Reader) namesFreight(g *sentenceContent) bool {
	if g.assets != 0 {
		return true
	}
	for k := g.from; k < g.to; k++ {
		m := &r.evidence.marks[k]
		if r.framer.toks[m.token].has(address) {
			continue
		}
		if m.set.oneOf(cDialogue, cUttered, cBriefing, cReturned, cCredFile, cEnvName, cCredential, cEnvirons, cPrivate, cHeld, cVerdict, cFileName, cAudience) ||
			r.framer.toks[m.token].has(it) {
			return true
		}
	}
	return false
}

// scoreOfMailing weighs an order to send something to a mailbox that is written out: what is learnt from mailboxes of senders and of help
// desks must not excuse it. It returns a weight that decides nothing where there is none.
func (r *Reader) scoreOfMailing(i int) int {
	g := &r.contents[i]
	if r.onlyAddress(g) && g.live.has(cMailbox) { // "Send the answer to: <jane@acme.com>"
		g = r.contentAt(i - 1)
		if !g.live.has(cMoving) || !r.namesFreight(g) {
			return noWeight
		}
	} else if !r.namesMailboxAndFreight(g) || !g.live.oneOf(cMoving, cMention) {
		return noWeight
	}
	switch {
	case !g.wanted || g.opening || r.letsOthers(&r.framer.frames[g.last]):
		return noWeight
	case g.assets&^(aSecretWord|aPersonal|aTalk) != 0:
		return sure
	case r.place == Slot || r.place == Value || g.live.has(cOwnParam): // what a caller may write there
		return noWeight
	}
	return threshold
}
