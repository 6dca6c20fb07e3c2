// Package cardsignature signs the cards of A2A agents and checks the signatures that cards have (§8.4 of A2A 1.0, §5.5.6 of 0.3):
// JWS over the canonical form of the card (RFC 7515, RFC 8785). A signature says who vouches for a card; that its key is
// anybody's in particular the caller has to know.
package cardsignature

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// A State is what became of the check of one signature.
type State string

// The states.
const (
	Verified   State = "verified"    // the key signed this card
	Broken     State = "broken"      // the key did not sign this card: it was changed, or another key was used
	UnknownKey State = "unknown_key" // there is no such key
	Malformed  State = "malformed"   // it is no signature
)

// A Check is one signature of a card.
type Check struct {
	KeyID     string `json:"keyId"`
	Algorithm string `json:"algorithm"`
	KeySet    string `json:"keySet"` // where the signature says its key is: jku, which anybody can write
	State     State  `json:"state"`
	Why       string `json:"why,omitempty"`
}

const (
	mostSignatures = 20  // of a card that are checked
	longestField   = 500 // of a header that is repeated, in bytes
)

// algorithms are those that a card may be signed with: none that need no key, or one that both sides have.
var algorithms = []jose.SignatureAlgorithm{
	jose.EdDSA, jose.ES256, jose.ES384, jose.ES512, jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
}

// KeySetOf returns where the first signature of a card that says so has its key, "" if none does.
func KeySetOf(card rawjson.Value) string {
	for i, s := range card.Get("signatures").Elements() {
		if i == mostSignatures {
			break
		}
		if jku := headerOf(s).JKU; jku != "" {
			return jku
		}
	}
	return ""
}

// Checks checks the signatures of a card, of which there may be none, with a key set as JSON, "" for no keys.
func Checks(card rawjson.Value, keySet string) []Check {
	var keys jose.JSONWebKeySet
	_ = json.Unmarshal([]byte(cmp.Or(keySet, "{}")), &keys) // what cannot be read has no keys
	out := []Check{}
	for i, s := range card.Get("signatures").Elements() {
		if i == mostSignatures {
			break
		}
		out = append(out, checkOne(card, s, &keys))
	}
	return out
}

// header is what a signature says of itself.
type header struct {
	Kid, Alg, JKU string
}

func headerOf(signature rawjson.Value) header {
	var h header
	text, err := base64.RawURLEncoding.DecodeString(signature.Get("protected").Text())
	if err != nil || json.Unmarshal(text, &h) != nil {
		return header{}
	}
	return h
}

func checkOne(card, signature rawjson.Value, keys *jose.JSONWebKeySet) Check {
	h := headerOf(signature)
	c := Check{KeyID: excerpt.Clip(h.Kid, longestField), Algorithm: excerpt.Clip(h.Alg, longestField), KeySet: excerpt.Clip(h.JKU, longestField)}
	fail := func(state State, why string) Check {
		c.State, c.Why = state, excerpt.Clip(why, longestField)
		return c
	}
	known := keys.Key(h.Kid)
	if _, err := parse(card, signature, payloads(card)[0]); err != nil {
		return fail(Malformed, err.Error())
	}
	if len(known) == 0 {
		return fail(UnknownKey, "no key of this id is known")
	}
	for _, payload := range payloads(card) {
		jws, err := parse(card, signature, payload)
		for i := 0; err == nil && i < len(known); i++ {
			if _, wrong := jws.Verify(known[i]); wrong == nil && known[i].IsPublic() {
				c.State = Verified
				return c
			}
		}
	}
	return fail(Broken, "the key did not sign this card as it is")
}

// parse puts a signature and what it may be of together.
func parse(card, signature rawjson.Value, payload string) (*jose.JSONWebSignature, error) {
	if signature.Get("protected").Kind() != rawjson.String || signature.Get("signature").Kind() != rawjson.String {
		return nil, errors.New("a signature has protected and signature, which are strings")
	}
	text := `{"payload":"` + base64.RawURLEncoding.EncodeToString([]byte(payload)) + `","protected":` + signature.Get("protected").Raw() +
		`,"signature":` + signature.Get("signature").Raw()
	if h := signature.Get("header"); h.Kind() == rawjson.Object {
		text += `,"header":` + h.Raw()
	}
	return jose.ParseSignedJSON(text+"}", algorithms)
}

// currentMembers are those of a card in the current revision. Its signatures are over no others.
var currentMembers = map[string]bool{
	"name": true, "description": true, "supportedInterfaces": true, "provider": true, "version": true, "documentationUrl": true, "capabilities": true,
	"securitySchemes": true, "securityRequirements": true, "defaultInputModes": true, "defaultOutputModes": true, "skills": true, "iconUrl": true,
}

// payloads are what a signature of the card may be over: the card in the current revision, empty members left out, and the whole
// card, both without signatures and in the canonical form.
func payloads(card rawjson.Value) []string {
	return []string{currentForm(card), wholeForm(card)}
}

func currentForm(card rawjson.Value) string {
	return canonical(withoutEmpty(card, func(name string) bool { return currentMembers[name] }))
}

func wholeForm(card rawjson.Value) string {
	var parts []string
	for m := range card.Members() {
		if m.Key.Text() != "signatures" {
			parts = append(parts, m.Key.Raw()+":"+m.Value.Raw())
		}
	}
	return canonical("{" + strings.Join(parts, ",") + "}")
}

func canonical(text string) string {
	var tree rawjson.Tree
	if tree.Parse(text, 0) != nil {
		return "{}"
	}
	return tree.Root().Canonical()
}

// withoutEmpty writes a value without members and elements that are empty; keep says which members of the object itself stay, nil
// for all. It is "" for what is empty.
func withoutEmpty(v rawjson.Value, keep func(name string) bool) string {
	switch v.Kind() {
	case rawjson.Null:
		return ""
	case rawjson.String:
		if v.Text() == "" {
			return ""
		}
	case rawjson.Array:
		var all []string
		for _, e := range v.Elements() {
			if text := withoutEmpty(e, nil); text != "" {
				all = append(all, text)
			}
		}
		if all == nil {
			return ""
		}
		return "[" + strings.Join(all, ",") + "]"
	case rawjson.Object:
		var all []string
		for m := range v.Members() {
			if keep != nil && !keep(m.Key.Text()) {
				continue
			}
			if text := withoutEmpty(m.Value, nil); text != "" {
				all = append(all, m.Key.Raw()+":"+text)
			}
		}
		if all == nil {
			return ""
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	return v.Raw()
}

// Any reports whether a signature is in a state.
func Any(checks []Check, state State) bool {
	for _, c := range checks {
		if c.State == state {
			return true
		}
	}
	return false
}

// Report writes checks as JSON, for a trace: {"verified": …, "signatures": […]}.
func Report(checks []Check) string {
	text, err := json.Marshal(struct {
		Verified   bool    `json:"verified"`
		Signatures []Check `json:"signatures"`
	}{Any(checks, Verified), checks})
	if err != nil {
		return fmt.Sprintf(`{"verified":false,"signatures":[],"error":%s}`, rawjson.Quote(err.Error()))
	}
	return string(text)
}
