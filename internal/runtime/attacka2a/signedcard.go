package attacka2a

import (
	"net/http"
	"strings"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/runtime/attack"
	"gauntlet/rawjson"
)

// signedCardKey is the state member by which an agent signs its card, with its own key served at [a2a.KeysPath]:
//
//	x-gauntlet-signed-card: {description: An honest agent.}
//
// The signed text is the card with these members replaced, so the signature fails for the served card; with {} it verifies.
const signedCardKey = "x-gauntlet-signed-card"

// signCard signs a card as the state specifies.
func (x *exchange) signCard(e *attack.Expander, card, own string, instead rawjson.Value) string {
	text, err := e.ExpandValue(instead)
	v := rawjson.Read(text)
	if err != nil || v.Kind() != rawjson.Object {
		x.Notice(attack.Unplayed, x.at, "%s must be a mapping of members to replace in the signed card: the card is not signed", signedCardKey)
		return card
	}
	var names []string
	for m := range v.Members() {
		names = append(names, m.Key.Text())
	}
	signed, err := x.key().Sign(rawjson.Read(card), rawjson.Read(rawjson.Join(v.Raw(), rawjson.Without(card, names...))), strings.TrimSuffix(own, "/")+a2a.KeysPath)
	if err != nil {
		x.Notice(attack.Unplayed, x.at, "the card is not signed: %v", err)
		return card
	}
	return signed
}

// key returns the same key in every run, so that a replay has the same signatures.
func (s *server) key() signingKey { return newSigningKey("card-key-1", s.Name) }

// serveKeys serves the signature key; a client's request for it is an event.
func (x *exchange) serveKeys() {
	x.at = x.LastPhase()
	keys, err := x.key().Set()
	if err != nil || !attack.Member(x.Phases[x.at].State, signedCardKey).Exists() {
		x.refuse(http.StatusNotFound, "not found: the card is not signed")
		return
	}
	x.serveDocument(a2a.CardKeys, func() string { return keys })
}
