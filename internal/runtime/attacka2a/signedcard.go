package attacka2a

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/runtime/attack"
	"gauntlet/rawjson"
	"gauntlet/trace"
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
	v := attack.ParseJSON(text)
	if err != nil || v.Kind() != rawjson.Object {
		x.Notice(attack.Unplayed, x.at, "%s must be a mapping of members to replace in the signed card: the card is not signed", signedCardKey)
		return card
	}
	signed, err := x.key().Sign(attack.ParseJSON(card), attack.ParseJSON(replaceMembers(attack.ParseJSON(card), v)), strings.TrimSuffix(own, "/")+a2a.KeysPath)
	if err != nil {
		x.Notice(attack.Unplayed, x.at, "the card is not signed: %v", err)
		return card
	}
	return signed
}

// key returns the same key in every run, so that a replay has the same signatures.
func (s *server) key() signingKey { return newSigningKey("card-key-1", s.Name) }

// replaceMembers returns an object with members replaced by another's.
func replaceMembers(v, by rawjson.Value) string {
	var parts, names []string
	for m := range by.Members() {
		parts, names = append(parts, m.Key.Raw()+":"+m.Value.Raw()), append(names, m.Key.Text())
	}
	for m := range v.Members() {
		if !slices.Contains(names, m.Key.Text()) {
			parts = append(parts, m.Key.Raw()+":"+m.Value.Raw())
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// serveKeys serves the signature key; a client's request for it is an event.
func (x *exchange) serveKeys() {
	x.at = x.LastPhase()
	keys, err := x.key().Set()
	if err != nil || !attack.Member(x.Phases[x.at].State, signedCardKey).Exists() {
		x.refuse(http.StatusNotFound, "not found: the card is not signed")
		return
	}
	x.record(trace.Message{Direction: trace.ToServer, Kind: trace.Event, Method: a2a.CardKeys}, 0)
	ctx := x.begin(a2a.CardKeys, attack.ParseJSON("{}"))
	x.record(trace.Message{Direction: trace.ToClient, Kind: trace.Event, Method: a2a.CardKeys, Raw: keys}, http.StatusOK)
	x.w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(x.w, keys) // a client that left misses it
	x.end(ctx, keys)
}
