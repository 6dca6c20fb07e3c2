package probing

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/internal/leaf/probe"
)

const (
	goodResource = `{"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"]}`
	goodServer   = `{"issuer":"https://as.example","authorization_endpoint":"https://as.example/a","token_endpoint":"https://as.example/t","code_challenge_methods_supported":["S256"],"authorization_response_iss_parameter_supported":true,"response_types_supported":["code"]}`
)

// discovered is what discovery saw of a public server; "" is a document that is not there.
func discovered(resource, server string) *probe.Authorization {
	a := &probe.Authorization{Server: "https://mcp.example/mcp", Near: "public", Refused: true}
	for _, d := range []struct {
		kind         probe.MetadataKind
		body, expect string
	}{{probe.ResourceMetadata, resource, a.Server}, {probe.ServerMetadata, server, "https://as.example"}} {
		status := 200
		if d.body == "" {
			status = 404
		}
		a.Documents = append(a.Documents, probe.Document{Kind: d.kind, URL: "https://x.example", Status: status, Body: d.body, Expect: d.expect})
	}
	return a
}

func changed(document, old, new string) string { return strings.Replace(document, old, new, 1) }

// Every rule has evidence that it reports and its near miss, the honest evidence that is most like it.
func TestAuthorizationFindings(t *testing.T) {
	with := func(a *probe.Authorization, change func(*probe.Authorization)) *probe.Authorization {
		change(a)
		return a
	}
	for _, tt := range []struct {
		name string
		a    *probe.Authorization
		want string // rule and severity, apart by spaces
	}{
		{"all is as it should be", discovered(goodResource, goodServer), ""},
		{"nothing was asked", &probe.Authorization{Server: "https://mcp.example/mcp", Near: "public", Refused: true}, ""},

		{"a page that is a script", discovered(goodResource, changed(goodServer, "https://as.example/a", "javascript:alert(1)")), "SEC-019:critical"},
		{"a page that is a command", discovered(goodResource, changed(goodServer, "https://as.example/a", "https://as.example/a;id")), "SEC-019:critical"},
		{"cloud metadata", discovered(goodResource, changed(goodServer, "https://as.example/t", "http://169.254.169.254/t")), "SEC-019:critical"},
		{"a private address", discovered(goodResource, changed(goodServer, "https://as.example/t", "https://10.0.0.7/t")), "SEC-019:critical"},
		{"a private address of a private server", with(discovered(goodResource, changed(goodServer, "https://as.example/t", "https://10.0.0.7/t")), func(a *probe.Authorization) { a.Near = "private" }), ""},
		{"plain HTTP", discovered(goodResource, changed(goodServer, "https://as.example/t", "http://as.example/t")), "SEC-019:high"},
		{"plain HTTP on this machine", with(discovered(goodResource, changed(goodServer, "https://as.example/t", "http://127.0.0.1/t")), func(a *probe.Authorization) { a.Near = "loopback" }), ""},
		{"an issuer that is a script", discovered(changed(goodResource, "https://as.example", "data:text/html,x"), ""), "SEC-019:critical GNT-430:medium"},

		{"no metadata of the resource", discovered("", ""), "GNT-430:medium"},
		{"none that could be asked for", with(discovered("", ""), func(a *probe.Authorization) { a.Documents[0].Status = 503 }), ""},
		{"no authorization server", discovered(`{"resource":"https://mcp.example/mcp"}`, ""), "GNT-430:medium"},
		{"no metadata of the authorization server", discovered(goodResource, ""), "GNT-430:medium"},

		{"another resource", discovered(changed(goodResource, "https://mcp.example/mcp", "https://bank.example/mcp"), goodServer), "GNT-431:high"},
		{"a resource that only begins like it", discovered(changed(goodResource, "https://mcp.example/mcp", "https://mcp.example/mc"), goodServer), "GNT-431:high"},
		{"the origin as the resource", discovered(changed(goodResource, "https://mcp.example/mcp", "https://mcp.example/"), goodServer), ""},
		{"another issuer", discovered(goodResource, changed(goodServer, `"issuer":"https://as.example"`, `"issuer":"https://evil.example"`)), "GNT-431:high"},
		{"an issuer with a slash", discovered(goodResource, changed(goodServer, `"issuer":"https://as.example"`, `"issuer":"https://as.example/"`)), ""},

		{"no challenge", discovered(goodResource, changed(goodServer, `"code_challenge_methods_supported":["S256"],`, "")), "GNT-432:high"},
		{"plain alone", discovered(goodResource, changed(goodServer, `["S256"]`, `["plain"]`)), "GNT-432:high"},
		{"plain as well", discovered(goodResource, changed(goodServer, `["S256"]`, `["plain","S256"]`)), "GNT-432:low"},

		{"a wildcard is registered", with(discovered(goodResource, goodServer), func(a *probe.Authorization) {
			a.Registration = &probe.Registration{Asked: []string{"https://*.evil.example/*"}, Status: 201, Registered: []string{"https://*.evil.example/*"}}
		}), "GNT-433:high"},
		{"it is refused", with(discovered(goodResource, goodServer), func(a *probe.Authorization) {
			a.Registration = &probe.Registration{Asked: []string{"https://*.evil.example/*"}, Status: 400}
		}), ""},
		{"it is registered without the address", with(discovered(goodResource, goodServer), func(a *probe.Authorization) {
			a.Registration = &probe.Registration{Asked: []string{"https://*.evil.example/*"}, Status: 201, Registered: []string{}}
		}), ""},

		{"tokens in the query", discovered(changed(goodResource, "{", `{"bearer_methods_supported":["header","query"],`), goodServer), "GNT-434:medium"},
		{"tokens in the header", discovered(changed(goodResource, "{", `{"bearer_methods_supported":["header"],`), goodServer), ""},
		{"the implicit grant", discovered(goodResource, changed(goodServer, `["code"]`, `["code","id_token token"]`)), "GNT-434:medium"},
		{"an id token", discovered(goodResource, changed(goodServer, `["code"]`, `["code","id_token"]`)), ""},

		{"answers without an issuer", discovered(goodResource, changed(goodServer, ":true", ":false")), "GNT-435:low"},

		{"a token for another", with(discovered(goodResource, goodServer), func(a *probe.Authorization) {
			a.Accepted, a.Audience = true, []string{"https://bank.example/mcp"}
		}), "GNT-436:critical"},
		{"a token for another that is refused", with(discovered(goodResource, goodServer), func(a *probe.Authorization) { a.Audience = []string{"https://bank.example/mcp"} }), ""},
		{"a token for this one as well", with(discovered(goodResource, goodServer), func(a *probe.Authorization) {
			a.Accepted, a.Audience = true, []string{"https://bank.example/mcp", "https://mcp.example/mcp/"}
		}), ""},
		{"a token for a name", with(discovered(goodResource, goodServer), func(a *probe.Authorization) { a.Accepted, a.Audience = true, []string{"mcp"} }), ""},

		{"documents that are none", discovered(`[1]`, `{"issuer":7,"code_challenge_methods_supported":"S256"}`), "GNT-430:medium GNT-431:high GNT-432:high GNT-435:low"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			all := findings(t, &probe.Evidence{Server: "s", Protocol: &probe.Protocol{Authorization: tt.a}})
			for _, c := range Checks() {
				if f, ok := all[c.ID]; ok {
					got = append(got, fmt.Sprintf("%s:%s", f.Rule, f.Severity))
				}
			}
			want := strings.Fields(tt.want)
			if len(got) != len(want) || !containsAll(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// Whatever the documents say, the judges end, and no message has a control character.
func FuzzAuthorization(f *testing.F) {
	f.Add(goodResource, goodServer)
	f.Add(`{"resource":"\u001b[2J","authorization_servers":["javascript:\u0007"]}`, `{"issuer":"\n","token_endpoint":"//"}`)
	f.Fuzz(func(t *testing.T, resource, server string) {
		a := readAuthorization(discovered(resource, server))
		for _, judge := range []func(*authorization) Verdict{judgeAddresses, judgeMissing, judgeMismatch, judgeChallenge, judgeTokenInAddress, judgeIssuer, judgeAudience} {
			if text := judge(a).Text; strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) || len(text) > 2000 {
				t.Errorf("the message is %q", text)
			}
		}
	})
}
