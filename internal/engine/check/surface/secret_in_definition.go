package surface

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/secret"
)

var _ = register(check.Check{
	ID: "SEC-008", Name: "secret-in-definition", Severity: finding.High, Maturity: check.Stable,
	Taxonomy: "MCP01:2025 exact, ASI03 weak, CWE-798 exact, CWE-522 close, CWE-200 close, AML.T0055 close, AML.T0083 weak, SAFE-T1506 weak, SAFE-T1503 weak, L4 close, L6 weak",
	Axis:     "secret-exposure", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A definition appears to contain a credential: an API key, an access token, a private key, or a password in a
connection string.

The server sends its definitions to every client that connects, and clients hand them to a model, which may
repeat them. A secret in a definition must be treated as leaked. The check reads every string: names,
descriptions, defaults and examples in schemas, annotations, _meta, and the server's instructions.

Not reported: placeholders ("YOUR_API_KEY", "sk-…"), obviously invented examples, keys that vendors print in
their manuals (AKIAIOSFODNN7EXAMPLE), hashes, UUIDs and other identifiers.

The evidence quotes the secret, because the reader has to find it and because everyone who can connect to the
server has it already. The message never repeats it. Keep reports as confidential as the definition itself.`,
	Advice:  "Revoke the credential, then remove it from the definition and read it from the environment where it is used.",
	RunItem: secretInDefinition,
})

func secretInDefinition(it *check.Item) {
	for i := range it.Fields {
		f := &it.Fields[i]
		for _, m := range secret.Find(f.Text.Raw) {
			it.Report(check.Report{
				Field: f, Start: m.Start, End: m.End,
				Message: fmt.Sprintf("%s appears to contain a secret (%s)", holder(f), m.Rule),
			})
		}
	}
}

// holder names the field that contains a secret.
func holder(f *check.Field) string {
	if f.IsKey {
		return "the name of a member"
	}
	return "the " + f.Sort.String()
}
