package config

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
)

// searched are variables that decide where a runtime or a package manager finds code, beside
// those of injecting.
var searched = []string{
	"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "PYTHONPATH", "PYTHONHOME", "NODE_PATH", "RUBYLIB", "PERL5LIB", "CLASSPATH", "ENV",
	"GIT_SSH_COMMAND", "GIT_EXEC_PATH", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_NODE_OPTIONS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "GOPROXY",
}

// mostShown is how much of one value a person is shown, in bytes.
const mostShown = 500

// LoaderVariables returns the variables of the entry's environment that decide what code runs, as
// NAME=VALUE for a person who has to agree to its launch, with secrets masked.
func (e *Entry) LoaderVariables() []string {
	var out []string
	for _, v := range e.Env {
		name := strings.ToUpper(v.Name)
		if injecting[name] == nil && !slices.Contains(searched, name) {
			continue
		}
		out = append(out, v.Name+"="+quoteArgument(maskSecrets(excerpt.Clip(v.Value.Reveal(), mostShown))))
	}
	return out
}
