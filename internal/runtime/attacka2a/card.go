package attacka2a

import (
	"cmp"
	"strings"

	"gauntlet/internal/runtime/attack"
	"gauntlet/rawjson"
)

// card returns the agent's card: the document's, in its key order, templates expanded.
func (x *exchange) card(request rawjson.Value) string {
	x.mu.Lock()
	own := x.own
	x.mu.Unlock()
	own = cmp.Or(own, "http://127.0.0.1/")
	given := attack.Member(x.Phases[x.at].State, "agent_card")
	if !given.Exists() {
		return withInterfaces(minimalCard(own), own)
	}
	e := x.Expander(request)
	text, err := e.ExpandValue(given)
	x.NoteMissing(x.at, e)
	if err != nil {
		x.Notice(attack.Unplayed, x.at, "the card is served without its templates: %v", err)
		text = given.Raw()
	}
	card := rawjson.Read(text)
	served, signs := x.ownCard(card, own), attack.Member(x.Phases[x.at].State, signedCardKey)
	switch {
	case signs.Exists():
		return x.signCard(e, served, own, signs)
	case card.Get("signatures").Len() > 0 && !x.opt.VerbatimCards:
		x.Notice(attack.Unplayed, x.at, "the card is signed, and its URLs become the actor's own, which no signature holds for: --verbatim-cards serves it as it was signed")
	}
	return served
}

// ownCard replaces the card's URLs by the agent's own, unless VerbatimCards is set.
func (x *exchange) ownCard(card rawjson.Value, own string) string {
	if x.opt.VerbatimCards {
		return card.Raw()
	}
	return withInterfaces(ownURLs(card, own), own)
}

// withInterfaces adds the agent's interfaces and revisions in the current form if the card lacks them: current clients look only
// there.
func withInterfaces(card, own string) string {
	v := rawjson.Read(card)
	if v.Kind() != rawjson.Object || v.Get("supportedInterfaces").Exists() {
		return card
	}
	var all []string
	for _, revision := range []string{"1.0", "0.3"} {
		all = append(all, `{"url":`+rawjson.Quote(own)+`,"protocolBinding":"JSONRPC","protocolVersion":"`+revision+`"}`)
	}
	return rawjson.Join(v.Raw(), rawjson.Build("supportedInterfaces", "["+strings.Join(all, ",")+"]"))
}

// minimalCard is the card of an agent without one in the document.
func minimalCard(own string) string {
	return `{"protocolVersion":"0.3.0","name":"oatf-agent","description":"An agent.","url":` + rawjson.Quote(own) +
		`,"version":"1.0.0","capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`
}

// ownURLs replaces the interface URLs of a card and nothing else.
func ownURLs(card rawjson.Value, own string) string {
	if card.Kind() != rawjson.Object {
		return card.Raw()
	}
	var parts []string
	found := false
	for m := range card.Members() {
		value := m.Value.Raw()
		switch name := m.Key.Text(); {
		case name == "url" && m.Value.Kind() == rawjson.String:
			value, found = rawjson.Quote(own), true
		case (name == "supportedInterfaces" || name == "additionalInterfaces") && m.Value.Kind() == rawjson.Array:
			var all []string
			for _, one := range m.Value.Elements() {
				all = append(all, ownURLs(one, own))
			}
			value, found = "["+strings.Join(all, ",")+"]", true
		}
		parts = append(parts, m.Key.Raw()+":"+value)
	}
	if !found {
		parts = append(parts, `"url":`+rawjson.Quote(own))
	}
	return "{" + strings.Join(parts, ",") + "}"
}
