// Package probing holds the checks of what a server did when it was probed: they report what
// package proberun observed, and judge nothing by how it looks.
package probing

import (
	"fmt"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// Checks lists the package's checks, which register adds.
var Checks, register = check.NewLane()

// ruleOf says which rule reports a class.
var ruleOf = map[probe.Class]finding.Rule{}

// Fingerprint returns the fingerprint of the finding that a trial becomes if it is proved. It does
// not depend on the random values of a run.
func Fingerprint(server string, t *probe.Trial) string {
	return finding.Fingerprint(append([]string{string(ruleOf[t.Class])}, identity(server, t)...)...)
}

func identity(server string, t *probe.Trial) []string {
	return []string{server, t.Tool, t.Parameter, string(t.Class)}
}

// severities are those of classes that differ from their rule's.
var severities = map[probe.Class]finding.Severity{
	probe.TemplateInjection: finding.High,
	probe.Prefix:            finding.High,
	probe.Symlink:           finding.High,
}

// reportProved reports the trials of a rule's classes that were proved.
func reportProved(rule finding.Rule) func(*check.Pass) {
	return func(p *check.Pass) {
		server := p.Catalog.Servers[0]
		n := 0
		for i := range p.Probes.Trials {
			t := &p.Probes.Trials[i]
			if ruleOf[t.Class] != rule {
				continue
			}
			n++
			if t.Proof != nil {
				p.Report(check.Relation{
					At: parameterPlace(p, server, t), Message: sentence(t) + seeIt(p.Probes, Fingerprint(p.Probes.Server, t), nil), Severity: severities[t.Class], Identity: identity(p.Probes.Server, t),
				})
			}
		}
		p.Looked(n)
	}
}

// sentence says what was proved and how to see it oneself.
func sentence(t *probe.Trial) string {
	return fmt.Sprintf("%s by %s: %s; %s %s %s", t.Class, t.Proof.Variant, t.Proof.Observed, t.Proof.Method, t.Tool, t.Proof.Arguments)
}

// parameterPlace is where a tool's definition names the parameter, the tool as a whole where it
// does not.
func parameterPlace(p *check.Pass, s *catalog.Server, t *probe.Trial) check.Place {
	for i := range s.Tools() {
		it := &s.Tools()[i]
		if it.Name() != t.Tool {
			continue
		}
		var tree rawjson.Tree
		return p.At(s, it, it.Parse(s, &tree).Get("inputSchema").Get("properties").Get(topName(t.Parameter)))
	}
	return p.At(s, nil, rawjson.Value{})
}

// topName is the first name of a parameter's path.
func topName(path string) string {
	top, _, _ := strings.Cut(strings.ReplaceAll(path, "[", "."), ".")
	return top
}

// probeCheck registers the check that reports some classes, and adds what all of them share.
func probeCheck(c check.Check, classes ...probe.Class) *check.Check {
	for _, class := range classes {
		ruleOf[class] = c.ID
	}
	c.Maturity, c.Needs = check.Experimental, check.Probes
	if c.Run == nil {
		c.Run = reportProved(c.ID)
	}
	c.Doc += "\n\nThe proof is a value that only the target could know or produce, seen twice where it could occur by chance; for injected syntax, the same text without the syntax did not produce it. " +
		"`gauntlet probe` reports how each trial ended; a payload that never reached the tool's code does not count as resisted. See docs/probing.md."
	return register(c)
}

var (
	_ = probeCheck(check.Check{
		ID: "MCP-D-002", Name: "path-traversal-proved", Severity: finding.Critical, Axis: "path-traversal",
		Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-22 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/22.html",
		Doc: `A tool read or wrote a file outside the project folder, which the client declares as its only root. The path was absolute, contained ../,
followed a symbolic link, or led into a folder whose name merely starts with the project's; or an archive entry had such a name.`,
		Advice: "Resolve the path, symbolic links included, and refuse it unless it lies in a directory that the user chose. Compare it with the directory followed by a separator.",
	}, probe.PathTraversal, probe.Symlink, probe.Prefix, probe.ArchiveEscape)
	_ = probeCheck(check.Check{
		ID: "MCP-D-003", Name: "server-side-request-forgery-proved", Severity: finding.High, Axis: "server-side-request-forgery",
		Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-918 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/918.html",
		Doc: `A tool sent a request to a planted service on the loopback address of its own machine, or read a file through a file://
URL. A tool that only fetches public addresses is not reported.`,
		Advice: "Accept only http and https, resolve the host, refuse private and loopback addresses, and connect to the address you checked.",
	}, probe.SSRF)
	_ = probeCheck(check.Check{
		ID: "MCP-D-007", Name: "metadata-credentials-proved", Severity: finding.Critical, Axis: "server-side-request-forgery",
		Taxonomy: "MCP01:2025 close, ASI03 weak, CWE-918 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/918.html",
		Doc:    `A tool returned the credentials of a planted cloud metadata service.`,
		Advice: "Refuse link-local addresses in every notation, and connect to the address you checked.",
	}, probe.Metadata)
	_ = probeCheck(check.Check{
		ID: "GNT-401", Name: "command-injection-proved", Severity: finding.Critical, Axis: "command-injection",
		Taxonomy: "MCP05:2025 exact, ASI05 close, CWE-78 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/78.html",
		Doc: `An argument that should be data ran as a command: a file appeared that only this command creates. A tool that declares that it
runs any command, and also runs the plain one, is not reported.`,
		Advice: "Start the program without a shell, pass its arguments as a list, and put \"--\" before values.",
	}, probe.CommandInjection)
	_ = probeCheck(check.Check{
		ID: "GNT-402", Name: "argument-injection-proved", Severity: finding.High, Axis: "command-injection",
		Taxonomy: "MCP05:2025 close, ASI05 close, CWE-88 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/88.html",
		Doc: `An argument became an option of a program that the server starts: a substitute for the program received it where programs
parse options, with no "--" before it.`,
		Advice: "Put \"--\" before values, refuse those that begin with \"-\", and never split a command line on spaces.",
	}, probe.ArgumentInjection)
	_ = probeCheck(check.Check{
		ID: "GNT-403", Name: "query-injection-proved", Severity: finding.High, Axis: "sql-injection",
		Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-89 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/89.html",
		Doc: `An argument that should be data ran as SQL: the database computed the product of two random numbers, and the result contains it. A tool
that runs any statement its caller sends is not reported.`,
		Advice: "Bind values as query parameters; check table and column names against an allowlist.",
	}, probe.SQLInjection, probe.NoSQLInjection)
	_ = probeCheck(check.Check{
		ID: "GNT-404", Name: "code-evaluation-proved", Severity: finding.Critical, Axis: "command-injection",
		Taxonomy: "MCP05:2025 close, ASI05 exact, CWE-95 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/95.html",
		Doc: `An argument ran as code or as a template expression: a file appeared that only this code creates, or the result contains
the product of two random numbers (severity high). A tool whose declared purpose is to run code is not reported.`,
		Advice: "Parse values with a grammar that has no calls; never pass them to eval, or to a template engine as the template.",
	}, probe.CodeEvaluation, probe.TemplateInjection)
	_ = probeCheck(check.Check{
		ID: "GNT-405", Name: "unsafe-deserialisation-proved", Severity: finding.Critical, Axis: "command-injection",
		Taxonomy: "MCP05:2025 close, ASI05 close, CWE-502 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/502.html",
		Doc:    `The server deserialised an argument with a loader that creates arbitrary objects and runs their code.`,
		Advice: "Read JSON, or YAML with a safe loader; never unpickle what a caller sends.",
	}, probe.Deserialisation)
	_ = probeCheck(check.Check{
		ID: "GNT-406", Name: "request-path-escape-proved", Severity: finding.Medium, Axis: "server-side-request-forgery",
		Taxonomy: "MCP05:2025 weak, ASI05 weak, CWE-918 close, CWE-22 close, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/918.html",
		Doc:    `An argument with ../ sent a request of the server, with its credentials, to a path of the service that ordinary values do not reach.`,
		Advice: "Encode every value that becomes part of a URL, and refuse values that contain dot segments or slashes.",
	}, probe.RequestPath)
	_ = probeCheck(check.Check{
		ID: "GNT-407", Name: "header-injection-proved", Severity: finding.Medium, Axis: "server-side-request-forgery",
		Taxonomy: "MCP05:2025 weak, ASI05 weak, CWE-93 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/93.html",
		Doc:    `An argument with a line break added a header to a request that the server sends.`,
		Advice: "Refuse control characters in URLs and header values.",
	}, probe.CRLF)
	_ = probeCheck(check.Check{
		ID: "GNT-408", Name: "hidden-content-passed-through", Severity: finding.Info, Axis: "prompt-injection",
		Taxonomy: "MCP10:2025 close, ASI01 close, CWE-1427 close, L3 weak, L4 weak", Source: "https://genai.owasp.org/llmrisk/llm01-prompt-injection/",
		Doc:    `A tool passed on an instruction to the model from an HTML comment, which readers of the page never see.`,
		Advice: "Return only what a reader of the page sees, and mark it as third-party content.",
	}, probe.Passthrough)
	_ = probeCheck(check.Check{
		ID: "GNT-409", Name: "resource-exhaustion-proved", Severity: finding.Medium, Axis: "denial-of-service",
		Taxonomy: "MCP07:2025 weak, ASI08 weak, CWE-400 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/400.html",
		Doc: `A small argument made the server unresponsive, crashed it, or made it use another 256 MiB of memory, twice; a harmless value
of the same length did not. Tried only in a sandbox.`,
		Advice: "Limit the time and memory of one call, and return an error instead of exiting.",
	}, probe.Exhaustion)
	_ = probeCheck(check.Check{
		ID: "GNT-414", Name: "unlisted-tool-answers", Severity: finding.Medium, Axis: "authorization",
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-425 exact, CWE-489 close, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/425.html",
		Doc:    `A tool missing from tools/list answered a call to a guessed name, while a call to a random name was refused.`,
		Advice: "Remove tools that callers must not use, or require authorization for them; hiding a tool from the list does not protect it.",
	}, probe.UnlistedTool)
	_ = probeCheck(check.Check{
		ID: "GNT-415", Name: "guessed-handle-opens", Severity: finding.High, Axis: "authorization",
		Taxonomy: "MCP07:2025 close, ASI03 close, CWE-639 exact, CWE-330 close, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/639.html",
		Doc: `A guessed handle of a session, cart, conversation or similar object, which no earlier result contained, gave access to that object;
random handles of two forms were refused.`,
		Advice: "Make handles random, and check that the caller owns the object.",
	}, probe.GuessedHandle)
	_ = probeCheck(check.Check{
		ID: "GNT-416", Name: "unoffered-field-kept", Severity: finding.Medium, Axis: "authorization",
		Taxonomy: "MCP02:2025 close, ASI03 close, CWE-915 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/915.html",
		Doc: `A call carried a field about rights (role, owner, tenant) that the tool's schemas do not declare, with a random value. The result of a
later call without that field contained the value.`,
		Advice: "Copy only the fields that the schema declares, and refuse others (additionalProperties: false).",
	}, probe.UnofferedField)
	_ = probeCheck(check.Check{
		ID: "GNT-417", Name: "forged-request-state-accepted", Severity: finding.High, Axis: "authorization",
		Taxonomy: "MCP07:2025 close, ASI03 close, CWE-565 exact, CWE-345 close, L3 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2026-07-28/basic",
		Doc:    `A tool that asks for input before it acts, and issues a state for that, continued with a state that it never issued.`,
		Advice: "Sign the state, and bind it to the call, its arguments and the user.",
	}, probe.ForgedState)
	_ = probeCheck(check.Check{
		ID: "GNT-418", Name: "prototype-pollution-proved", Severity: finding.High, Axis: "input-validation",
		Taxonomy: "MCP05:2025 weak, ASI05 weak, CWE-1321 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/1321.html",
		Doc: `A member named __proto__ or constructor in a value changed what all objects of the server inherit: a later result contained the random
value in a place it was never sent to. A tool that stores the value under the name it was given is not reported.`,
		Advice: "Refuse __proto__, constructor and prototype as keys, copy members into objects without a prototype, or use a Map.",
	}, probe.Pollution)
	_ = probeCheck(check.Check{
		ID: "SEC-020", Name: "error-envelope-leak", Severity: finding.High, Axis: "information-disclosure",
		Taxonomy: "MCP01:2025 close, ASI03 weak, CWE-209 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/209.html",
		Doc: `A tool's error message contained a secret planted in the environment or the files of the server. Severity low if an error
contains a stack trace with files and lines.`,
		Run:    reportLeaks,
		Advice: "Make errors say what the caller did wrong, and keep values of the environment out of them.",
	}, probe.ErrorLeak)
)
