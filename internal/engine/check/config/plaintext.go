package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(Check{
	ID: "GNT-103", Name: "unencrypted-transport", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP01:2025 weak, MCP07:2025 weak, ASI07 weak, CWE-319 exact, L5 close, L3 weak",
	Axis:     "transport-security", Source: "https://cwe.mitre.org/data/definitions/319.html",
	Doc: `A server on another machine is reached over http or ws, without TLS.

Anyone on the network path can read the headers with their tokens and every argument and result, and can
change the descriptions of tools, which the model follows.

Reported for every host but this machine, private networks included, and also for the address that a bridge
such as mcp-remote is given. Not reported: https, localhost, 127.0.0.0/8 and ::1, host.docker.internal, and a
host that is a reference only the client can resolve.`,
	Advice: "Use https, or a tunnel that ends on this machine.",
	Run: func(p *Pass) {
		p.eachEntry(func(file int, e *Entry) {
			judge := func(text string, at Place) {
				if host, bad := unencrypted(text); bad {
					p.Report(Report{File: file, Entry: e, At: at, Evidence: maskURL(text), Masked: true, Start: 0, End: len(text),
						Message: fmt.Sprintf("the server on %s is reached without TLS", quoteArgument(maskSecrets(host)))})
				}
			}
			judge(e.URL.Reveal(), e.URL.Place)
			if !bridges(e) {
				return
			}
			for _, a := range e.Args {
				judge(a.Reveal(), a.Place)
			}
		})
	},
})

// bridges reports whether an entry starts a program that connects to the address in its arguments.
func bridges(e *Entry) bool {
	for _, a := range e.Args {
		for _, name := range []string{"mcp-remote", "mcp-proxy", "supergateway", "mcp-bridge"} {
			if strings.Contains(a.Reveal(), name) {
				return true
			}
		}
	}
	b := base(e.Command)
	return b == "mcp-remote" || b == "mcp-proxy" || b == "supergateway"
}

func unencrypted(text string) (host string, bad bool) {
	low := strings.ToLower(text)
	if !strings.HasPrefix(low, "http://") && !strings.HasPrefix(low, "ws://") {
		return "", false
	}
	// Parse the host manually first: url.Parse rejects references in addresses.
	rest := text[strings.Index(text, "://")+3:]
	if i := strings.IndexAny(rest, "/?#"); i >= 0 && !refers(rest[:min(len(rest), i+1)]) {
		rest = rest[:i]
	}
	if refers(rest) || strings.Contains(rest, "{") {
		return "", false
	}
	u, err := url.Parse("http://" + rest)
	if err != nil || u.Hostname() == "" {
		return "", false
	}
	host = strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "host.docker.internal" {
		return host, false
	}
	if a, err := netip.ParseAddr(host); err == nil && (a.Unmap().IsLoopback() || a.IsUnspecified()) {
		return host, false
	}
	return host, true
}
