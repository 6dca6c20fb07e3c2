package surface

import (
	"encoding/base64"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "GNT-007", Name: "app-permissions", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 close, MCP10:2025 weak, ASI02 weak, CWE-732 close, L2 close, L4 weak",
	Axis:     "capability", Needs: check.Definitions, Source: "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx",
	Doc: `A page that the server shows in the client (MCP Apps, ` + "`_meta.ui`" + `) may load from or send to any host, since a list of its content security policy has a
wildcard; or asks for the camera or the microphone (severity medium); or is no resource of the server, as ui:// is, but an address or a file, so that
what it shows was never listed. With such a policy the page, or whoever gets text into it, can send what the
conversation shows it anywhere.

A wildcard is one for all hosts, or for all below a public suffix, where anybody can have a name (*, https:, https://*, *.com, *.co.uk,
*.github.io, *.s3.amazonaws.com). An entry that holds spaces, semicolons or commas is one that a client may take for several. Not reported:
wildcards below a domain (https://*.example.com, https://*.example.github.io), and other permissions alone.`,
	Advice:  "Name the hosts that the page needs, and ask for the camera or the microphone only if the page is for that.",
	RunItem: appPermissions,
})

// policyLists are the lists of a content security policy, as named by MCP Apps and its predecessor, with the severity
// of a wildcard in each.
var policyLists = map[string]finding.Severity{
	"connectDomains": finding.High, "connect_domains": finding.High, "resourceDomains": finding.High, "resource_domains": finding.High,
	"frameDomains": finding.Medium, "frame_domains": finding.Medium, "baseUriDomains": finding.Medium,
}

func appPermissions(it *check.Item) {
	meta := it.Value.Get("_meta")
	ui := meta.Get("ui")
	judge := func(list string, severity finding.Severity, source rawjson.Value) {
		text := source.Text()
		switch hosts := wildcardHosts(text); {
		case hosts != "":
			it.Report(check.Report{Field: fieldAt(it, source), Severity: severity, Message: "the server's page may use " + hosts + ", by its " + list})
		case strings.ContainsAny(strings.TrimSpace(text), " \t\r\n;,"):
			it.Report(check.Report{Field: fieldAt(it, source), Message: "an entry of " + list + " of the server's page holds several: a client that joins them lets the server write its own policy"})
		}
	}
	for _, policy := range []rawjson.Value{ui.Get("csp"), meta.Get("openai/widgetCSP"), meta.Get("ui/csp")} {
		if policy.Kind() == rawjson.String { // a whole policy, as HTTP has it
			for source := range strings.FieldsFuncSeq(policy.Text(), func(r rune) bool { return r == ' ' || r == ';' || r == ',' }) {
				if hosts := wildcardHosts(source); hosts != "" {
					it.Report(check.Report{Field: fieldAt(it, policy), Message: "the server's page may use " + hosts + ", by its policy"})
					break
				}
			}
		}
		for list := range policy.Members() {
			severity, known := policyLists[list.Key.Text()]
			if !known {
				continue
			}
			if list.Value.Kind() == rawjson.String {
				judge(list.Key.Text(), severity, list.Value)
			}
			for _, source := range list.Value.Elements() {
				judge(list.Key.Text(), severity, source)
			}
		}
	}
	for _, page := range []rawjson.Value{ui.Get("resourceUri"), meta.Get("ui/resourceUri"), meta.Get("openai/outputTemplate")} {
		if scheme, _, found := strings.Cut(strings.TrimSpace(page.Text()), ":"); found && !strings.EqualFold(scheme, "ui") {
			it.Report(check.Report{Field: fieldAt(it, page), Message: "the page of the tool is no ui:// resource of the server"})
		}
	}
	if asked := permissionsOf(ui); slices.Contains(asked, "camera") || slices.Contains(asked, "microphone") {
		it.Report(check.Report{Severity: finding.Medium, Message: "the server's page asks for " + excerpt.List(asked, mostPermissions)})
	}
}

// mostPermissions is how many permissions a message names.
const mostPermissions = 8

// permissionsOf lists what a page asks for, in lower case.
func permissionsOf(ui rawjson.Value) (out []string) {
	for p := range ui.Get("permissions").Members() {
		if raw := p.Value.Raw(); raw != "false" && raw != "null" {
			out = append(out, strings.ToLower(p.Key.Text()))
		}
	}
	for _, p := range ui.Get("permissions").Elements() {
		out = append(out, strings.ToLower(p.Text()))
	}
	slices.Sort(out)
	return out
}

// wildcardHosts says what a content security policy source allows if that is all hosts or all below a public suffix, "" otherwise.
func wildcardHosts(source string) string {
	const all = "any host"
	source = strings.ToLower(strings.TrimSpace(source))
	if before, rest, found := strings.Cut(source, "://"); found {
		source = rest
	} else if strings.HasSuffix(before, ":") { // only a scheme
		if slices.Contains([]string{"http:", "https:", "ws:", "wss:"}, before) {
			return all
		}
		return ""
	}
	host, _, _ := strings.Cut(source, "/")
	host, _, _ = strings.Cut(host, ":")
	host = strings.TrimSuffix(host, ".")
	if host == "*" {
		return all
	}
	below, star := strings.CutPrefix(host, "*.")
	suffix, official := publicsuffix.PublicSuffix(below)
	switch {
	case !star || below == "localhost" || below != suffix:
		return ""
	case official || !strings.Contains(below, "."):
		return all
	}
	return "any host below " + below + ", where anybody can have one"
}

// decodedBase64 decodes base64 text, "" if it is not base64.
func decodedBase64(text string) string {
	text = strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	b, err := base64.RawStdEncoding.DecodeString(text[:min(len(text), 1<<20)])
	if err != nil {
		return ""
	}
	return string(b)
}
