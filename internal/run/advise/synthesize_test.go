package advise

import (
	"encoding/json"
	"strings"
	"testing"

	"gauntlet/internal/runtime/attack"
)

// A schema that a server gave holds no secret when a model gets it, as text and as the form of its answer.
func TestSecretsOfSchemasAreHidden(t *testing.T) {
	const key = "ghp_1fV2kQ9xZ7bN4mT6wL8cR3yH5jD0aSqEuPgX"
	r := synthesisRequest(attack.Synthesis{What: "a form", Prompt: "Fill it.", Schema: `{"type":"object","properties":{"token":{"type":"string","default":"` + key + `"}}}`})
	if strings.Contains(r.Schema+r.Messages[0].Text, key) {
		t.Errorf("schema %s, text %s", r.Schema, r.Messages[0].Text)
	}
	if !json.Valid([]byte(r.Schema)) {
		t.Errorf("schema %s is no JSON", r.Schema)
	}
}
