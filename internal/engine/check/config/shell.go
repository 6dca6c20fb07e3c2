package config

import (
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/acts"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/lazyregexp"
)

var _ = register(Check{
	ID: "GNT-105", Name: "shell-script-as-server", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP05:2025 close, MCP04:2025 weak, ASI05 close, CWE-494 close, CWE-829 close, CWE-78 weak, L2 close, L6 weak",
	Axis:     "command-execution", Source: "https://cwe.mitre.org/data/definitions/78.html",
	Doc: `A server is a shell script on one line (sh -c, bash -lc, cmd /c, powershell -Command) that downloads
something, decodes something, or pipes one program into another.

The configuration does not show what such a line does: at each start it fetches and runs whatever is at an
address, without a version. Malicious configurations are often passed on in this form.

So does a program on one line (python -c, node -e) that runs what it downloads or decodes.

Reported with severity high: a download (curl, wget, Invoke-WebRequest, certutil -urlcache …), an encoded
command, eval, and a pipe into a shell or an interpreter. Any other pipe has severity medium. Not reported: a
shell that starts only one program ("cmd /c npx …" is how npm's programs are started on Windows; "bash -lc"
loads the user's PATH), "||", and a script file, which is a file on this machine like any program.`,
	Advice: "Name the program and its arguments. Put preparations into a script that was reviewed.",
	Run: func(p *Pass) {
		p.eachEntry(func(file int, e *Entry) {
			words, ok := scriptOf(e)
			if !ok {
				reportInline(p, file, e)
				return
			}
			for _, w := range words {
				if why, severity, at := risky(w.text, words); why != "" {
					p.Report(Report{File: file, Entry: e, At: w.at, Evidence: w.text[at[0]:at[1]], Start: at[0], End: at[1], Severity: severity,
						Message: "the server is a shell script that " + why})
					return
				}
			}
		})
	},
})

// reportInline reports a program on one line, python -c or node -e, that does what no server needs.
func reportInline(p *Pass, file int, e *Entry) {
	words := launched(e).args
	for i := 1; i < len(words); i++ {
		if !slices.Contains([]string{"-c", "-e", "--eval", "-p", "--print"}, words[i-1].text) {
			continue
		}
		for _, a := range acts.Code(words[i].text) {
			if a.Weight >= 2 && (a.Kind == acts.Run || a.Kind == acts.Send || a.Kind == acts.Destroy) {
				p.Report(Report{File: file, Entry: e, At: words[i].at, Evidence: words[i].text[a.Start:a.End], Start: a.Start, End: a.End, Severity: finding.High,
					Message: "the server is a program on one line that " + a.Says})
				return
			}
		}
	}
}

// scriptOf returns the shell script of the entry's command, after env and the like.
func scriptOf(e *Entry) ([]word, bool) {
	words := e.words()
	for n := range words {
		l := launch{program: base(words[n].text), args: words[n+1:]}
		if script, ok := shellScript(l); ok {
			if strings.HasPrefix(l.program, "p") && len(l.args) > 0 {
				// The switch itself matters: -EncodedCommand.
				return l.args, true
			}
			return script, true
		}
		if n > 4 {
			break
		}
	}
	return nil, false
}

var (
	download    = lazyregexp.New(`(?i)(?:^|[\s;&|(` + "`" + `"'])(?:curl|wget|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod|start-bitstransfer|bitsadmin)(?:\.exe)?(?:\s+[^|;&]*|$)|downloadstring|downloadfile|certutil(?:\.exe)?\s+[^|;&]*-urlcache[^|;&]*`)
	encoded     = lazyregexp.New(`(?i)base64\s+(?:-d\b|-D\b|--decode)|frombase64string|(?:^|\s)-e(?:c|nc|ncodedcommand)\b|(?:^|[\s;&|])(?:eval|iex|invoke-expression)\s`)
	interpreter = lazyregexp.New(`(?i)[^|]\|\s*(?:sudo\s+)?(?:/\S*/)?(?:sh|bash|zsh|dash|ksh|fish|python[0-9.]*|node|perl|ruby|php|osascript|powershell|pwsh|iex)\b`)
	pipe        = lazyregexp.New(`[^|]\|[^|]`)
)

func risky(text string, all []word) (why string, severity finding.Severity, at [2]int) {
	for _, r := range []struct {
		re       *lazyregexp.Regexp
		why      string
		severity finding.Severity
	}{
		{download, "downloads something from the network", finding.High},
		{encoded, "runs something that is encoded or assembled from parts", finding.High},
		{interpreter, "pipes into an interpreter", finding.High},
		{pipe, "pipes one program into another", finding.Medium},
	} {
		if m := r.re.FindStringIndex(text); m != nil {
			return r.why, r.severity, [2]int{m[0], m[1]}
		}
	}
	if text == "|" {
		for _, w := range all {
			if download.MatchString(w.text) {
				return "downloads something from the network", finding.High, [2]int{0, 1}
			}
		}
		return "pipes one program into another", finding.Medium, [2]int{0, 1}
	}
	return "", finding.None, at
}
