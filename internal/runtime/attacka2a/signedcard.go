package attacka2a

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/go-jose/go-jose/v4"

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

// A signingKey signs cards. It is derived from a seed, so that an attack has the same key in every run; it is no secret.
type signingKey struct {
	id      string
	private ed25519.PrivateKey
}

func newSigningKey(id, seed string) signingKey {
	sum := sha256.Sum256([]byte("gauntlet card key of " + seed))
	return signingKey{id, ed25519.NewKeyFromSeed(sum[:])}
}

// Set returns the public key as a key set.
func (k signingKey) Set() (string, error) {
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{
		Key: k.private.Public(), KeyID: k.id, Algorithm: string(jose.EdDSA), Use: "sig",
	}}})
	return string(text), err
}

// Sign returns card with a signature for each revision, both over signed, which must equal card to verify. keySet is the key URL
// they name.
func (k signingKey) Sign(card, signed rawjson.Value, keySet string) (string, error) {
	var all []string
	for _, payload := range payloads(signed) {
		s, err := k.signPayload(payload, keySet)
		if err != nil {
			return "", err
		}
		all = append(all, s)
	}
	return rawjson.Join(rawjson.Without(card.Raw(), "signatures"), rawjson.Build("signatures", "["+strings.Join(all, ",")+"]")), nil
}

func (k signingKey) signPayload(payload, keySet string) (string, error) {
	opt := (&jose.SignerOptions{}).WithType("JOSE").WithHeader("jku", keySet)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: k.private, KeyID: k.id}}, opt)
	if err != nil {
		return "", err
	}
	jws, err := signer.Sign([]byte(payload))
	if err != nil {
		return "", err
	}
	return rawjson.Without(jws.FullSerialize(), "payload"), nil
}
