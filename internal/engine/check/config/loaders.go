package config

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/startup"
)

// searched are variables, besides startup.Injecting, that decide where a runtime or package manager finds code.
var searched = []string{
	"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "PYTHONPATH", "PYTHONHOME", "NODE_PATH", "RUBYLIB", "PERL5LIB", "CLASSPATH", "ENV",
	"GIT_SSH_COMMAND", "GIT_EXEC_PATH", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_NODE_OPTIONS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "GOPROXY",
}

// mostShown limits the bytes of a value shown to a person.
const mostShown = 500

// LoaderVariables returns the entry's environment variables that decide what code runs, as NAME=VALUE with secrets
// masked, for the person who consents to the launch.
func (e *Entry) LoaderVariables() []string {
	var out []string
	for _, v := range e.Env {
		name := strings.ToUpper(v.Name)
		if startup.Injecting[name] == nil && !slices.Contains(searched, name) {
			continue
		}
		out = append(out, v.Name+"="+quoteArgument(maskSecrets(excerpt.Clip(v.Value.Reveal(), mostShown))))
	}
	return out
}
