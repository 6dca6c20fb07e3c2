package packaging

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/result"
)

var _ = register(check.Check{
	ID: "GNT-601", Name: "install-script", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Package,
	Taxonomy: "MCP04:2025 close, ASI04 close, CWE-506 weak, CWE-494 weak, L6 close, L3 weak",
	Axis:     "supply-chain", Source: "https://docs.npmjs.com/cli/using-npm/scripts#life-cycle-scripts",
	Doc: `Installing the package runs a command of its author before anyone has reviewed it or called a tool: a preinstall, install or
postinstall script, or a native build that implies one. Malicious packages favour such scripts.

Severity high if the command downloads something and passes it to an interpreter, or contains an inline program; medium for
any other command of the package, and for a dependency that passes a download to an interpreter; low for all other commands of
its dependencies, and where a package only compiles itself with common tools ("prepare": "tsc"), one finding each. What a command has npm run of the other scripts is part of it. For a folder and for a
repository, prepare and what belongs to it count as well: npm runs them there. So does what an installed package of Python has run at
every start of Python: lines of .pth files, sitecustomize and usercustomize.

gauntlet vet runs none of them. If a server needs its script in order to start, the report says so.`,
	Advice: "Read the script, and install with --ignore-scripts if the server works without it.",
	Run: func(p *check.Pass) {
		p.Looked(1)
		for _, s := range p.Package.Facts.Scripts {
			p.ReportPackage(check.PackageReport{
				File: s.File, Line: s.Line, Quote: s.Command, Severity: scriptSeverity(s),
				Message:  scriptMessage(s),
				Identity: []string{nameOf(s.Package), s.Event, s.Command},
			})
		}
	},
})

// loadsAndRuns matches a command that runs what it has just loaded, and inlineProgram one that holds a program.
var (
	loadsAndRuns  = lazyregexp.New(`(?i)\b(curl|wget|iwr|invoke-webrequest)\b.*(\||&&|;|\$\()|\$\(\s*(curl|wget)|\bbase64\b.*\|\s*(ba|z)?sh\b|\bpowershell\b.*-enc`)
	inlineProgram = lazyregexp.New(`(?i)\b(node|deno|bun)\s+(-e|--eval|-p)\b|\b(python3?|perl|ruby)\s+-[ce]\b`)
)

func scriptSeverity(s result.InstallScript) finding.Severity {
	loads := loadsAndRuns.MatchString(s.Command)
	switch {
	case s.Own && (loads || inlineProgram.MatchString(s.Command)):
		return finding.High
	case !s.Own && !loads, onlyBuilds(s.Command):
		return finding.Low
	}
	return finding.None
}

// buildTools are programs that packages compile and tidy themselves with, each line a sort: compilers and bundlers, what calls other
// scripts of the same package (they are spelled out behind it), and what moves files.
var buildTools = strings.Fields(`
	tsc tsup esbuild vite rollup webpack swc babel ncc tsdown unbuild rslib rspack parcel tsc-alias
	npm pnpm yarn bun run-s run-p npm-run-all turbo nx lerna cross-env
	chmod cp mkdir mv rm rimraf shx copyfiles cpy cpx del-cli husky prettier eslint biome tslint echo true exit`)

// onlyBuilds reports whether every command of a script is a common tool for building, without anything that a shell would put in its
// place. A tool's own configuration can still run code of the package, which is why the script is told of.
func onlyBuilds(command string) bool {
	if command == "" { // a build whose command is not known
		return false
	}
	if strings.ContainsAny(command, "`$<>(") {
		return false
	}
	for _, part := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(";|&\n", r) }) {
		words := strings.Fields(part)
		for len(words) > 1 && (strings.HasSuffix(words[0], ":") || strings.Contains(words[0], "=") || words[0] == "cross-env" || words[0] == "shx") {
			words = words[1:] // the name of a script, a variable, or a tool that runs the rest
		}
		switch {
		case len(words) == 0:
			continue
		case !slices.Contains(buildTools, words[0]):
			return false
		case slices.ContainsFunc(words[1:], func(w string) bool {
			return slices.Contains([]string{"exec", "dlx", "x", "install", "i", "add", "ci"}, w)
		}):
			return false // a package manager that runs or adds what is not the package's
		}
	}
	return true
}

// nameOf is a package without its version, so that a decision holds for the next one.
func nameOf(pkg string) string {
	if i := strings.LastIndexByte(pkg, '@'); i > 0 {
		return pkg[:i]
	}
	return pkg
}

func scriptMessage(s result.InstallScript) string {
	what := "a script"
	if s.Command != "" {
		what = excerpt.Quote(s.Command, 120)
	}
	if s.Own {
		return fmt.Sprintf("installing %s runs %s (%s)", excerpt.Quote(s.Package, 90), what, s.Event)
	}
	return fmt.Sprintf("%s, which it depends on, runs %s when it is installed (%s)", excerpt.Quote(s.Package, 90), what, s.Event)
}
