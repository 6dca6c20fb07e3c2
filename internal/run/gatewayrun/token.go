package gatewayrun

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
)

// shortestToken is the minimum length of a token, in bytes: a shorter one can be guessed.
const shortestToken = 16

// Token returns the token for clients: the value of a variable, or a new one for "".
func Token(variable string, lookup func(string) (string, bool)) (string, error) {
	if variable == "" {
		return rand.Text(), nil
	}
	token, ok := lookup(variable)
	switch {
	case !ok: // the user may have typed the token itself: never echo it
		return "", errors.New("--token-env wants the name of a variable, and no variable of that name is set here")
	case len(token) < shortestToken:
		return "", fmt.Errorf("--token-env %s: the token has %d bytes, want at least %d", variable, len(token), shortestToken)
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return "", fmt.Errorf("--token-env %s: the token has a character that no header can carry", variable)
		}
	}
	return token, nil
}

// A ClientEntry is the gateway's entry in a client's configuration.
type ClientEntry struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
}

// ClientConfig returns the configuration for clients on one line. token is their token, or ${NAME} of the variable that holds it.
func ClientConfig(fronts []Front, token string) (string, error) {
	entries := map[string]ClientEntry{}
	for _, f := range fronts {
		name := f.Name
		if name == "" {
			name = "gauntlet"
		}
		entries[name] = ClientEntry{"http", f.URL, map[string]string{"Authorization": "Bearer " + token}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	return string(text), err
}
