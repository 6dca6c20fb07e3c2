package attacka2a

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"gauntlet/rawjson"
)

// A signingKey signs cards. It is derived from a seed, so that an attack has the same key in every run; it is no secret.
type signingKey struct {
	id      string
	private ed25519.PrivateKey
}

// newSigningKey derives a key from a seed.
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
