package probing

import (
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

var _ = add(Probe{
	ID: "P35", Asks: "whether results are what the output schemas of their tools say", Effect: probe.Writes, HTTP: true, Stdio: true,
	Judge: judgeOutputs, Unless: "no tool with an outputSchema was called and answered",
	Rule: check.Check{
		ID: "GNT-450", Name: "output-breaks-schema", Severity: finding.Low, Axis: "input-validation",
		Taxonomy: "MCP03:2025 weak, ASI02 weak, CWE-1288 weak, CWE-684 close, L4 close, L3 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
		Doc: `A tool declares what it returns (outputSchema) and returned something else to an ordinary call, or no structured content at all. Clients that
trust the schema hand on what nobody looked at.

What stays quiet: errors; schemas that refer to other addresses or cannot be read; answers that are cut by a limit.`,
		Advice: "Validate results with the tool's own outputSchema before they are sent.",
	},
})

// noLoading refuses what a stranger's schema refers to: neither a file nor an address is opened.
type noLoading struct{}

func (noLoading) Load(string) (any, error) { return nil, errors.New("not loaded") }

// breaksSchema says where a value differs from a schema, "" where it does not. It is not ok where the
// schema cannot be read.
func breaksSchema(schema string, v rawjson.Value) (what string, ok bool) {
	read, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return "", false
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoading{})
	if c.AddResource("mem:schema", read) != nil {
		return "", false
	}
	compiled, err := c.Compile("mem:schema")
	if err != nil {
		return "", false
	}
	if !v.Exists() {
		return "there is no structuredContent", true
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(v.Raw()))
	if err != nil {
		return "", false
	}
	var invalid *jsonschema.ValidationError
	if err := compiled.Validate(value); errors.As(err, &invalid) {
		leaf := invalid
		for len(leaf.Causes) > 0 {
			leaf = leaf.Causes[0]
		}
		return excerpt.Quote("/"+strings.Join(leaf.InstanceLocation, "/"), 120) + " against " + excerpt.Quote(strings.Join(leaf.ErrorKind.KeywordPath(), "/"), 80), true
	}
	return "", true
}
