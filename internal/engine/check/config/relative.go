package config

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(Check{
	ID: "GNT-106", Name: "command-from-unsafe-folder", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP04:2025 weak, ASI05 weak, CWE-426 close, CWE-427 close, L2 close, L4 weak",
	Axis:     "configuration-integrity", Source: "https://cwe.mitre.org/data/definitions/426.html",
	Doc: `Which program starts depends on the folder in which the client happens to run, or the program lies in a folder
for temporary files: the command is a relative path; the command or its script lies in /tmp, /var/tmp,
/dev/shm or a Windows Temp folder; or the server's PATH begins with such a folder.

With a relative path, opening a project that someone else wrote is enough to start their program. Any program
can write to temporary folders, and they are emptied, after which anyone can take the name.

Not reported: a bare name, which is looked up in PATH; absolute paths; paths below the user's home (~); paths
that begin with a reference; and entries that set an absolute working directory of their own.`,
	Advice: "Give the absolute path of a program in a folder that only its owner can write.",
	Run: func(p *Pass) {
		p.eachEntry(func(file int, e *Entry) {
			report := func(at Place, text string, start int, message string) {
				p.Report(Report{File: file, Entry: e, At: at, Evidence: text, Start: start, End: start + len(text), Message: message})
			}
			l := launched(e)
			switch {
			case temporary(l.head.text):
				report(l.head.at, l.head.text, max(0, l.head.from), "the command is in a folder for temporary files")
			case relative(l.head.text) && !absolute(e.Cwd):
				report(l.head.at, l.head.text, max(0, l.head.from), "the command is a relative path, looked up in whatever folder the client runs in")
			case interpreters[l.program]:
				for _, a := range l.args {
					if strings.HasPrefix(a.text, "-") {
						continue
					}
					if temporary(a.text) {
						report(a.at, a.text, max(0, a.from), "the program is in a folder for temporary files")
					}
					break
				}
			}
			for _, v := range assignments(e) {
				if refs := References(v.value); !strings.EqualFold(v.name, "PATH") || len(refs) > 0 && refs[0].Start == 0 && !temporary(v.value) {
					continue
				}
				first, _, _ := strings.Cut(v.value, pathSeparator(v.value))
				if temporary(first+"/") || v.value != "" && !absolute(first) && !strings.HasPrefix(first, "~") {
					report(v.at, first, v.from, "the server's PATH begins with an unsafe folder")
				}
			}
		})
	},
})

var interpreters = options("node bun deno python python3 py ruby perl php java bash sh zsh tsx ts-node")

func pathSeparator(s string) string {
	if strings.Contains(s, ";") || len(s) > 2 && s[1] == ':' && s[2] == '\\' {
		return ";"
	}
	return ":"
}

func relative(command string) bool {
	return strings.ContainsAny(command, `/\`) && !absolute(command) && !strings.HasPrefix(command, "~") &&
		!strings.HasPrefix(command, "$") && !strings.HasPrefix(command, "{") && !strings.HasPrefix(command, "%") && !strings.Contains(command, "://")
}

func absolute(p string) bool {
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\\`) || len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// temporary reports whether a path is in a folder that any program may write to.
func temporary(p string) bool {
	p = strings.ToLower(strings.ReplaceAll(p, `\`, "/"))
	for _, dir := range []string{"/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/", "/private/var/tmp/", "$tmpdir/", "${tmpdir}/", "${env:tmpdir}/", "%temp%/", "%tmp%/", "${env:temp}/"} {
		if strings.HasPrefix(p, dir) {
			return true
		}
	}
	return absolute(p) && (strings.Contains(p, "/appdata/local/temp/") || strings.Contains(p, ":/windows/temp/") || strings.Contains(p, ":/temp/"))
}
