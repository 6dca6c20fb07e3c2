package surface

import (
	"net/url"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/hostscope"
)

var _ = register(check.Check{
	ID: "GNT-006", Name: "unsafe-icon", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, ASI09 weak, CWE-116 weak, CWE-918 close, L2 close, L3 weak",
	Axis:     "tool-poisoning", Needs: check.Definitions, Source: "https://modelcontextprotocol.io/specification/2025-11-25/basic",
	Doc: `The address of an icon, or of a server's web page, runs code where a client shows it (javascript:, a page or a scripted image in data:), or has the client
ask a service of this machine or of a private network (severity medium; high for addresses at which clouds hand out credentials) or read a
file (medium).

Not reported: https and http addresses on public hosts, and images in data: without scripts.`,
	Advice:  "Serve icons over https from the server's own host, or put a PNG into a data: address.",
	RunItem: unsafeIcon,
})

func unsafeIcon(it *check.Item) {
	for i := range it.Fields {
		f := &it.Fields[i]
		key := f.Value.Key().Text()
		if f.IsKey || !(f.Sort == check.Icon && key == "src" || f.Sort == check.URI && key == "websiteUrl") {
			continue
		}
		if what, severity := unsafeAddress(f.Text.Raw); what != "" {
			subject := map[bool]string{true: "an icon's address ", false: "the server's web page "}[f.Sort == check.Icon]
			it.Report(check.Report{Field: f, Severity: severity, Message: subject + what})
		}
	}
}

// unsafeAddress says what is wrong with an address that a client shows, "" for nothing. Browsers ignore line breaks and tabs in it, and
// control characters and blanks around it.
func unsafeAddress(address string) (string, finding.Severity) {
	plain := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, address))
	scheme, rest, _ := strings.Cut(plain, ":")
	switch strings.ToLower(scheme) {
	case "javascript", "vbscript", "livescript":
		return "runs code", finding.None
	case "data":
		return unsafeData(rest)
	case "file":
		return "is a file of the client", finding.Medium
	}
	if strings.HasPrefix(plain, `\\`) {
		return "is a share of a machine in a network", finding.Medium
	}
	switch scope := hostscope.OfURL(plain); scope {
	case hostscope.Public:
		return "", finding.None
	case hostscope.LinkLocal:
		return "is a link-local address, where clouds hand out credentials", finding.None
	default:
		return "is a " + string(scope) + " address", finding.Medium
	}
}

func unsafeData(rest string) (string, finding.Severity) {
	kind, content, _ := strings.Cut(rest, ",")
	kind = strings.ToLower(kind)
	if strings.Contains(kind, "html") || strings.Contains(kind, "javascript") {
		return "is a page or a program", finding.None
	}
	if !strings.Contains(kind, "xml") && !strings.Contains(kind, "svg") {
		return "", finding.None
	}
	if strings.Contains(kind, ";base64") {
		content = decodedBase64(content)
	} else if plain, err := url.PathUnescape(content); err == nil {
		content = plain
	}
	switch {
	case !scripted(content):
		return "", finding.None
	case strings.Contains(kind, "svg"):
		return "is an image with a script", finding.None
	}
	return "is a document with a script", finding.None
}
