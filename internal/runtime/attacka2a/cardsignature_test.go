package attacka2a

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"gauntlet/rawjson"
)

func parsed(t testing.TB, text string) rawjson.Value {
	t.Helper()
	var tree rawjson.Tree
	if err := tree.Parse(text, 0); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return tree.Root()
}

const (
	honest = `{"name":"a","url":"http://127.0.0.1/","description":"Honest.","skills":[{"id":"s","tags":[]}],"supportedInterfaces":[]}`
	jku    = "http://127.0.0.1/keys"
)

// A signature holds for the card that was signed, however it is written, and for no other card and no other key.
func TestSignAndCheck(t *testing.T) {
	key, other := newSigningKey("k1", "one"), newSigningKey("k1", "two")
	set, err := key.Set()
	if err != nil {
		t.Fatal(err)
	}
	otherSet, err := other.Set()
	if err != nil {
		t.Fatal(err)
	}
	sign := func(card, signed string) string {
		out, err := key.Sign(parsed(t, card), parsed(t, signed), jku)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	whole := sign(honest, honest)
	for name, tt := range map[string]struct {
		card, keys string
		want       string // the states, in the order of the signatures
	}{
		"as it was signed":                 {whole, set, "verified verified"},
		"written otherwise":                {strings.Replace(whole, `{"name":"a",`, `{ "name" : "\u0061" , `, 1), set, "verified verified"},
		"a text was changed":               {strings.Replace(whole, "Honest", "Evil", 1), set, "broken broken"},
		"only the old revision has it":     {strings.Replace(whole, `"url":"http://127.0.0.1/"`, `"url":"http://127.0.0.2/"`, 1), set, "verified broken"},
		"another card was signed":          {sign(strings.Replace(honest, "Honest", "Evil", 1), honest), set, "broken broken"},
		"another key of the same id":       {whole, otherSet, "broken broken"},
		"no keys":                          {whole, "", "unknown_key unknown_key"},
		"keys that are none":               {whole, "[1]", "unknown_key unknown_key"},
		"no signatures":                    {honest, set, ""},
		"signatures that are no list":      {`{"signatures":7}`, set, ""},
		"no signature":                     {`{"signatures":[{"protected":7}]}`, set, "malformed"},
		"no algorithm":                     {`{"signatures":[{"protected":"eyJhbGciOiJub25lIiwia2lkIjoiazEifQ","signature":""}]}`, set, "malformed"},
		"an algorithm of shared secrets":   {`{"signatures":[{"protected":"eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIn0","signature":"AAAA"}]}`, set, "malformed"},
		"the key is a secret both know of": {whole, `{"keys":[{"kty":"oct","kid":"k1","k":"AAAA"}]}`, "broken broken"},
	} {
		t.Run(name, func(t *testing.T) {
			var states []string
			for _, c := range signatureChecks(parsed(t, tt.card), tt.keys) {
				states = append(states, string(c.State))
			}
			if got := strings.Join(states, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := keySetOf(parsed(t, whole)); got != jku {
		t.Errorf("the keys are at %q", got)
	}
	if again := sign(honest, honest); again != whole {
		t.Errorf("signed again it is\n%s\nand was\n%s", again, whole)
	}
}

// Whatever a card is, it is not verified by a key that did not sign it, and the report is JSON.
func FuzzChecks(f *testing.F) {
	key := newSigningKey("k1", "fuzz")
	set, err := key.Set()
	if err != nil {
		f.Fatal(err)
	}
	card, err := key.Sign(parsed(f, honest), parsed(f, honest), jku)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(card)
	f.Add(`{"signatures":[{"protected":"e30","signature":"","header":{"kid":1}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var tree rawjson.Tree
		if tree.Parse(text, 0) != nil {
			return
		}
		checks := signatureChecks(tree.Root(), set)
		if len(checks) > mostSignatures {
			t.Errorf("%d signatures were checked", len(checks))
		}
		parsed(t, signatureReport(checks))
		if Any(checks, Verified) && !sameSigned(tree.Root(), parsed(t, card)) {
			t.Errorf("verified: %s", text)
		}
	})
}

// sameSigned reports whether a card says what another one does, in either form that signatures are over.
func sameSigned(a, b rawjson.Value) bool {
	return currentForm(a) == currentForm(b) || wholeForm(a) == wholeForm(b)
}

// A stranger's key set of thousands of keys of one id costs few tries, and a card that is too large none.
func TestWorkIsBounded(t *testing.T) {
	signed, err := newSigningKey("k1", "one").Sign(parsed(t, honest), parsed(t, honest), jku)
	if err != nil {
		t.Fatal(err)
	}
	set, err := newSigningKey("k1", "two").Set()
	if err != nil {
		t.Fatal(err)
	}
	var keys jose.JSONWebKeySet
	if err := json.Unmarshal([]byte(set), &keys); err != nil {
		t.Fatal(err)
	}
	for len(keys.Keys) < 2000 {
		keys.Keys = append(keys.Keys, keys.Keys[0])
	}
	card := parsed(t, signed)
	c := newChecker(card, keys)
	for _, s := range card.Get("signatures").Elements() {
		c.tries = 0
		if got := c.checkOne(s).State; got != Broken || c.tries != mostKeys*len(c.payloads) {
			t.Errorf("%s after %d tries", got, c.tries)
		}
	}
	large := parsed(t, strings.Replace(signed, "Honest", strings.Repeat("x", largestCard), 1))
	for _, got := range signatureChecks(large, set) {
		if got.State != Unchecked || got.Why == "" {
			t.Errorf("a large card: %+v", got)
		}
	}
}
