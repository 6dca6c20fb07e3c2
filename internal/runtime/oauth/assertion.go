package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/url"
	"time"
)

// assertionTime is how long a signed assertion is valid.
const assertionTime = time.Minute

// assertion returns the parameters with which a client that has a key authenticates (RFC 7523); none for other clients.
func (a *Authorizer) assertion(l *Login) (url.Values, error) {
	if l.Client.Method != "private_key_jwt" {
		return nil, nil
	}
	key, err := readKey(l.Client.Key)
	if err != nil {
		return nil, err
	}
	now := a.now()
	signed, err := signClaims(key, map[string]any{
		"iss": l.Client.ID, "sub": l.Client.ID, "aud": l.SigningAudience, "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(assertionTime).Unix(),
	})
	if err != nil {
		return nil, err
	}
	return url.Values{"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, "client_assertion": {signed}}, nil
}

var errKey = errors.New("not a usable private key: want PEM of an EC (P-256), RSA or Ed25519 key in PKCS #8")

func readKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errKey
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errKey
	}
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		if k.Curve == elliptic.P256() {
			return k, nil
		}
	case *rsa.PrivateKey:
		return k, nil
	case ed25519.PrivateKey:
		return k, nil
	}
	return nil, errKey
}

// signClaims returns a signed JSON Web Token.
func signClaims(key crypto.Signer, claims map[string]any) (string, error) {
	algorithm := map[bool]string{true: "RS256"}[isRSA(key)]
	if _, ok := key.(*ecdsa.PrivateKey); ok {
		algorithm = "ES256"
	} else if algorithm == "" {
		algorithm = "EdDSA"
	}
	head, err := json.Marshal(map[string]string{"alg": algorithm, "typ": "JWT"})
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode(head) + "." + encode(body)
	signature, err := sign(key, []byte(text))
	if err != nil {
		return "", errors.New("the private key cannot sign")
	}
	return text + "." + encode(signature), nil
}

func isRSA(key crypto.Signer) bool { _, ok := key.(*rsa.PrivateKey); return ok }

func sign(key crypto.Signer, text []byte) ([]byte, error) {
	digest := sha256.Sum256(text)
	switch k := key.(type) {
	case *ecdsa.PrivateKey: // JWS wants both numbers concatenated (RFC 7518, 3.4)
		r, s, err := ecdsa.Sign(rand.Reader, k, digest[:])
		if err != nil {
			return nil, err
		}
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...), nil
	case *rsa.PrivateKey:
		return rsa.SignPKCS1v15(rand.Reader, k, crypto.SHA256, digest[:])
	}
	return key.Sign(rand.Reader, text, crypto.Hash(0))
}
