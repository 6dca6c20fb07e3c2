package cli

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"
)

// defaultIdle is longer than a person is away from a conversation that goes on.
const defaultIdle = 30 * time.Minute

// shortestToken is what a token must have at least, in bytes: a shorter one can be guessed.
const shortestToken = 16

// token returns what clients of the gateway have to carry: that of the variable that was named,
// else a new one.
func (g *gatewayCommand) token() (string, error) {
	if g.tokenEnv == "" {
		return rand.Text(), nil
	}
	token, ok := g.lookupEnv(g.tokenEnv)
	switch {
	case !ok: // whatever was typed there may be the token itself
		return "", fmt.Errorf("--token-env wants the name of a variable, and no variable of that name is set here")
	case len(token) < shortestToken:
		return "", fmt.Errorf("--token-env %s: the token has %d bytes, want at least %d", g.tokenEnv, len(token), shortestToken)
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return "", fmt.Errorf("--token-env %s: the token has a character that no header can carry", g.tokenEnv)
		}
	}
	return token, nil
}

// A clientEntry is how a client's configuration names the gateway.
type clientEntry struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
}

// clientEntry returns the entry for one URL. A token that somebody gave us is not shown.
func (g *gatewayCommand) clientEntry(url string) clientEntry {
	token := g.options.HTTP.Token
	if g.tokenEnv != "" {
		token = "${" + g.tokenEnv + "}"
	}
	return clientEntry{"http", url, map[string]string{"Authorization": "Bearer " + token}}
}

// sayConfig shows the configuration that clients need, on a line of its own that can be pasted;
// also with --quiet, since nobody could connect without it.
func (g *gatewayCommand) sayConfig(entries map[string]clientEntry) {
	g.say("clients need the token in this configuration (--no-auth does without):")
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		return // texts can be written
	}
	g.printErr("%s", text)
}
