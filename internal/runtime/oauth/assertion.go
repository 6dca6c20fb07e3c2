package oauth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/url"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// assertionTime is how long a signed assertion is valid.
const assertionTime = time.Minute

// assert adds the parameters with which a client that has a key authenticates (RFC 7523); none for other clients.
func (a *Authorizer) assert(l *Login, params url.Values) error {
	if l.Client.Method != "private_key_jwt" {
		return nil
	}
	key, err := readKey(l.Client.Key)
	if err != nil {
		return err
	}
	signer, err := jose.NewSigner(key, new(jose.SignerOptions).WithType("JWT"))
	if err != nil {
		return errKey
	}
	now := a.now()
	signed, err := jwt.Signed(signer).Claims(map[string]any{
		"iss": l.Client.ID, "sub": l.Client.ID, "aud": l.SigningAudience, "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(assertionTime).Unix(),
	}).Serialize()
	if err != nil {
		return errors.New("the private key cannot sign")
	}
	params.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	params.Set("client_assertion", signed)
	return nil
}

var errKey = errors.New("not a usable private key: want PEM of an EC (P-256), RSA or Ed25519 key in PKCS #8")

func readKey(text string) (jose.SigningKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return jose.SigningKey{}, errKey
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return jose.SigningKey{}, errKey
	}
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		if k.Curve == elliptic.P256() {
			return jose.SigningKey{Algorithm: jose.ES256, Key: k}, nil
		}
	case *rsa.PrivateKey:
		return jose.SigningKey{Algorithm: jose.RS256, Key: k}, nil
	case ed25519.PrivateKey:
		return jose.SigningKey{Algorithm: jose.EdDSA, Key: k}, nil
	}
	return jose.SigningKey{}, errKey
}
