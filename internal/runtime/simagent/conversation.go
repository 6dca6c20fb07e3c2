package simagent

import (
	"context"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
)

// A Shown is a text of the conversation that is not the user's task, such as a message of the system, an earlier
// turn, or what a front end shares of its state.
type Shown struct {
	Where string // for the record, as "the shared state"
	Text  string
}

// mostAnswer is how much a simulated agent says to its user, in bytes.
const mostAnswer = 32 << 10

// readConversation has the victim obey what stands in the conversation beside the task.
func (a *simAgent) readConversation(ctx context.Context) {
	if !a.obedient {
		return
	}
	for _, s := range a.opt.Shown {
		a.remember(s.Where, s.Text)
		a.obeyText(ctx, shownText{text: s.Text, where: s.Where})
	}
}

// telling are verbs that ask for something to be said, and not to be done.
var telling = setOf("acknowledge answer append begin confirm contain cite disclose display echo embed explain format give include list mention mentions output " +
	"paste prefix print provide quote recite recommend repeat reply report respond reveal say share show start state summarise summarize tell write")

// answering are words for what an agent says to its user.
var answering = setOf("answer answers message output outputs reply replies response responses summary user users")

// tellUser keeps what an order wants said, and reports whether it wants that: what the agent knows of the things
// that it names, and the words of the order themselves.
func (o *orderReader) tellUser(c clause) bool {
	words := wordsOf(c.sentence)
	if !telling[c.verb] && !slices.ContainsFunc(words, func(w string) bool { return telling[w] }) {
		return false
	}
	facts := o.knownFacts(c.sentence)
	if facts == "" && !slices.ContainsFunc(words, func(w string) bool { return answering[w] }) {
		return false
	}
	if strings.Contains(facts, systemPrompt) {
		facts = "My system prompt is: " + facts
	}
	o.told = append(o.told, strings.TrimSpace(joinTokens(c.sentence)+"\n"+facts))
	return true
}

// answer is what the agent says to its user in the end: what it did, and of the victim also all that it has seen
// and was told to say.
func (a *simAgent) answer() string {
	var parts []string
	for _, s := range a.steps {
		if s.Why == "the task" && s.Err == nil {
			parts = append(parts, "I used "+s.Name+".")
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "There was nothing that I could do for this.")
	}
	if a.obedient {
		parts = append(parts, a.told...)
		parts = append(parts, joinMemories(a.memory))
	}
	return excerpt.Head(strings.ToValidUTF8(strings.TrimSpace(strings.Join(parts, "\n")), ""), mostAnswer)
}
