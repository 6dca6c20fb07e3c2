package wire

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// variableName matches possible environment variable names. Without an underscore a name is too often an ordinary word in capitals,
// or an error code.
var variableName = lazyregexp.New(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b`)

// settingName matches the endings of variables that a server asks its user for. Error names end otherwise.
var settingName = lazyregexp.New(`(KEY|TOKEN|SECRET|PASSWORD|PASS|PAT|URL|URI|ENDPOINT|HOST|HOSTNAME|DOMAIN|USER|USERNAME|EMAIL|ID|ORG|ORGANIZATION|WORKSPACE|PROJECT|TENANT|REGION|NAME|DSN|PATH|DIR|DIRECTORY|PORT|ACCOUNT|STRING|CREDENTIALS|AUTH|SITE|INSTANCE|TEAM|BASE|SERVER)$`)

const (
	maxVariables     = 100 // names examined in one text
	maxVariableBytes = 64  // longest name
)

// NamedVariables returns the environment variables that a server's last output seems to ask for, without repeats, in order of
// appearance. They consist of capitals, digits and underscores.
func NamedVariables(text string) []string {
	var out []string
	for _, name := range variableName.FindAllString(text, maxVariables) {
		ofRuntime := strings.HasPrefix(name, "ERR_") || strings.HasPrefix(name, "NPM_") || strings.HasPrefix(name, "NODE_")
		if settingName.MatchString(name) && !ofRuntime && len(name) <= maxVariableBytes && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// mostMissing bounds the variables that a message names.
const mostMissing = 3

// missingVariables returns the variables that the server's stderr names and that it was not given.
func (p *Process) missingVariables() []string {
	text, _ := p.Stderr()
	out := slices.DeleteFunc(NamedVariables(text), func(name string) bool {
		return slices.ContainsFunc(p.given, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
	})
	return out[:min(len(out), mostMissing)]
}
