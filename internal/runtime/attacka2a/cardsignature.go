package attacka2a

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// A State is the result of checking one signature.
type State string

// The states.
const (
	Verified   State = "verified"    // the key signed this card
	Broken     State = "broken"      // the key did not sign this card: it was changed, or signed by another key
	UnknownKey State = "unknown_key" // there is no such key
	Malformed  State = "malformed"   // it is no signature
	Unchecked  State = "unchecked"   // the card is too large to be checked
)

// A Check is the check of one signature of a card.
type Check struct {
	KeyID     string `json:"keyId"`
	Algorithm string `json:"algorithm"`
	KeySet    string `json:"keySet"` // key location claimed by the signature (jku), which anybody can write
	State     State  `json:"state"`
	Why       string `json:"why,omitempty"`
}

const (
	mostSignatures = 20        // signatures of a card that are checked
	mostKeys       = 4         // keys of one id tried per signature: a stranger's key set may have thousands
	largestCard    = 256 << 10 // largest card checked, in bytes
	longestField   = 500       // longest header quoted, in bytes
)

// algorithms are the accepted ones: none without a key or with a shared key.
var algorithms = []jose.SignatureAlgorithm{
	jose.EdDSA, jose.ES256, jose.ES384, jose.ES512, jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
}

// keySetOf returns the key location of the first signature that has one, or "".
func keySetOf(card rawjson.Value) string {
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

// signatureChecks checks a card's signatures, if any, with a JSON key set, "" for no keys.
func signatureChecks(card rawjson.Value, keySet string) []Check {
	var keys jose.JSONWebKeySet
	_ = json.Unmarshal([]byte(cmp.Or(keySet, "{}")), &keys) // an unreadable set has no keys
	c := newChecker(card, keys)
	out := []Check{}
	for i, s := range card.Get("signatures").Elements() {
		if i == mostSignatures {
			break
		}
		out = append(out, c.checkOne(s))
	}
	return out
}

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

// A checker checks the signatures of one card.
type checker struct {
	card     rawjson.Value
	keys     jose.JSONWebKeySet
	payloads []string // computed once for all signatures; none if the card is too large
	tries    int      // signature verifications so far
}

func newChecker(card rawjson.Value, keys jose.JSONWebKeySet) *checker {
	c := &checker{card: card, keys: keys}
	if len(card.Raw()) <= largestCard {
		c.payloads = payloads(card)
	}
	return c
}

func (k *checker) checkOne(signature rawjson.Value) Check {
	h := headerOf(signature)
	c := Check{KeyID: excerpt.Clip(h.Kid, longestField), Algorithm: excerpt.Clip(h.Alg, longestField), KeySet: excerpt.Clip(h.JKU, longestField)}
	state, why := k.judge(signature, h.Kid)
	c.State, c.Why = state, excerpt.Clip(why, longestField)
	return c
}

func (k *checker) judge(signature rawjson.Value, kid string) (state State, why string) {
	if k.payloads == nil {
		return Unchecked, "the card is larger than 256 KB"
	}
	if _, err := parse(k.card, signature, k.payloads[0]); err != nil {
		return Malformed, err.Error()
	}
	known := k.keys.Key(kid)
	if len(known) == 0 {
		return UnknownKey, "no key of this id is known"
	}
	known = known[:min(len(known), mostKeys)]
	for _, payload := range k.payloads {
		if k.signed(signature, payload, known) {
			return Verified, ""
		}
	}
	return Broken, "the key did not sign this card as it is"
}

func (k *checker) signed(signature rawjson.Value, payload string, known []jose.JSONWebKey) bool {
	jws, err := parse(k.card, signature, payload)
	for i := 0; err == nil && i < len(known); i++ {
		k.tries++
		if _, wrong := jws.Verify(known[i]); wrong == nil && known[i].IsPublic() {
			return true
		}
	}
	return false
}

func parse(card, signature rawjson.Value, payload string) (*jose.JSONWebSignature, error) {
	if signature.Get("protected").Kind() != rawjson.String || signature.Get("signature").Kind() != rawjson.String {
		return nil, errors.New("a signature must have the strings protected and signature")
	}
	text := `{"payload":"` + base64.RawURLEncoding.EncodeToString([]byte(payload)) + `","protected":` + signature.Get("protected").Raw() +
		`,"signature":` + signature.Get("signature").Raw()
	if h := signature.Get("header"); h.Kind() == rawjson.Object {
		text += `,"header":` + h.Raw()
	}
	return jose.ParseSignedJSON(text+"}", algorithms)
}

// currentMembers are a card's members in the current revision; its signatures cover no others.
var currentMembers = map[string]bool{
	"name": true, "description": true, "supportedInterfaces": true, "provider": true, "version": true, "documentationUrl": true, "capabilities": true,
	"securitySchemes": true, "securityRequirements": true, "defaultInputModes": true, "defaultOutputModes": true, "skills": true, "iconUrl": true,
}

// payloads returns what a signature may cover: the card in the current revision without empty members, and the whole card, both
// without signatures and in canonical form.
func payloads(card rawjson.Value) []string {
	return []string{currentForm(card), wholeForm(card)}
}

func currentForm(card rawjson.Value) string {
	return canonical(withoutEmpty(card, func(name string) bool { return currentMembers[name] }))
}

func wholeForm(card rawjson.Value) string {
	if card.Kind() != rawjson.Object {
		return "{}"
	}
	return canonical(rawjson.Without(card.Raw(), "signatures"))
}

func canonical(text string) string { return rawjson.Read(cmp.Or(text, "{}")).Canonical() }

// withoutEmpty returns a value without empty members and elements, or "" if nothing is left; keep selects members of the object
// itself, nil for all.
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

// Any reports whether a check has the state.
func Any(checks []Check, state State) bool {
	return slices.ContainsFunc(checks, func(c Check) bool { return c.State == state })
}

// signatureReport returns checks as JSON for a trace: {"verified": …, "signatures": […]}.
func signatureReport(checks []Check) string {
	text, err := json.Marshal(struct {
		Verified   bool    `json:"verified"`
		Signatures []Check `json:"signatures"`
	}{Any(checks, Verified), checks})
	if err != nil {
		return fmt.Sprintf(`{"verified":false,"signatures":[],"error":%s}`, rawjson.Quote(err.Error()))
	}
	return string(text)
}
