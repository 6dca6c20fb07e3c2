package surface

import (
	"strings"

	"gauntlet/check"
	"gauntlet/finding"
	"gauntlet/internal/text"
)

var _ = register(check.Check{
	ID: "SEC-003", Name: "exfiltration-directive", Severity: finding.High, Maturity: check.Stable,
	Axis: "data-exfiltration", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A definition points the model at sensitive data or at an external sink: credential files, keys,
environment variables, the conversation, the system prompt; or it has data sent to an address that
the user did not name. A parameter named after such data ("content_of_ssh_key", "system_prompt" on a
calculator) and a default value that is a credential file, a metadata service or a command fire too.

What the model reads it can pass on, and a parameter is a channel out: what goes into it reaches the
server.

What is read is the same as for SEC-001, and the names of parameters word by word.

What stays quiet: a tool whose own function, told in the first words of its description, is to read
or send such things, examples ("e.g. ~/.ssh/id_rsa"), how to authenticate, and parameters about
prompts or conversations on tools that work with models.`,
	Advice:  "Ask for the data the tool needs by plain parameters; never send the model for files, secrets or the conversation.",
	RunItem: exfiltration,
})

var leak = article{
	main: []string{"sensitive", "exfil"},
	aid:  []string{"conceal", "mark", "cross", "override", "malice"},
}

func exfiltration(it *check.Item) {
	for i := range it.Fields {
		f := &it.Fields[i]
		switch {
		case f.Sort == check.PropertyName && len(f.Text.Signals) > 0 && aboutModels(it):
		case loadedDefault(f):
			it.Report(check.Report{Field: f, Message: "a default value names a credential file or a metadata service, or is a command"})
		default:
			leak.field(it, f)
		}
	}
}

// aboutModels reports whether a tool works with language models itself, so that a
// parameter called system_prompt is its business.
func aboutModels(it *check.Item) bool {
	low := strings.ToLower(it.Name() + " " + it.Value.Get("description").Text())
	for _, w := range []string{"agent", "assistant", "chat", "llm", "prompt", "persona", "gpt", "claude", "gemini", "openai", "language model", "completion"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// loadedDefault reports whether a field is a default value (or the only allowed one) that
// names a credential file or a metadata service, or that is a shell command.
func loadedDefault(f *check.Field) bool {
	if f.Sort != check.SchemaValue || f.IsKey {
		return false
	}
	if k := f.Value.Key().Text(); k != "default" && k != "const" {
		return false
	}
	return text.Credential(f.Text.Raw) || text.Injection(f.Text.Raw)
}
