package config

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/acts"
	"gauntlet/internal/leaf/lazyregexp"
)

// onlyBuilds reports whether a task does no more than build, check or serve the project.
func (p *Pass) onlyBuilds(file int, task string) bool {
	command, known := "", true
	for i := range p.Files[file].Settings {
		s := &p.Files[file].Settings[i]
		name, below := strings.CutPrefix(s.Value.Place.Pointer, task+"/")
		switch first, rest, _ := strings.Cut(name, "/"); {
		case !below:
		case first == "command" && rest == "", first == "args":
			command += " " + s.Value.Reveal()
		case first == "script":
			command = "npm run " + s.Value.Reveal()
		default: // another system's command, an interpreter, tasks before this one
			known = known && !p.Files[file].RunsBySelf(s) && first != "options" && first != "dependsOn"
		}
	}
	return known && p.builds(file, strings.TrimSpace(command), true)
}

// builds reports whether a command does no more than build, check or serve the project, itself or by a script of its package that was read.
func (p *Pass) builds(file int, command string, resolve bool) bool {
	if strings.ContainsAny(command, "|&;<>`$\n") || acts.Judge(acts.Code(command)) != acts.Fine || strangeAddress(command) {
		return false
	}
	if m := ofPackage.FindStringSubmatch(command); m != nil && resolve {
		return slices.ContainsFunc(p.Files, func(f File) bool {
			return f.Project == p.Files[file].Project && len(f.Settings) > 0 && strings.HasSuffix(f.Path, "package.json") && !slices.ContainsFunc(f.Settings, func(s Setting) bool {
				return len(s.Keys) != 3 || !strings.HasSuffix(s.Keys[1], m[1]) || !p.builds(file, s.Value.Reveal(), false)
			})
		})
	}
	program, _, _ := strings.Cut(command, " ")
	return builders[program]
}

// ofPackage matches a command that runs a script of a package.
var ofPackage = lazyregexp.New(`^(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?([\w:.-]+)$`)

// builders are programs that build, check or serve the project they are started in.
var builders = options("tsc vite vitest next nuxt astro webpack rollup esbuild parcel jest eslint biome prettier tailwindcss svelte-kit remix gatsby ng vue-cli-service react-scripts storybook cargo go dotnet gradle mvn flutter hugo jekyll mkdocs")
