package config

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
)

// A capability is one of the three that are dangerous together.
type capability uint8

const (
	strangers capability = 1 << iota // brings in what strangers write
	private                          // reads the user's own data
	outside                          // sends data to others
)

var legNames = []struct {
	capability capability
	says       string
}{{strangers, "brings in what strangers write"}, {private, "reads what is the user's own"}, {outside, "sends to others"}}

// A member is a server, skill, command or sub-agent that works with others.
type member struct {
	file         int
	entry        *Entry // nil for a file
	name         string
	capabilities capability
}

// capabilityWords are words in server and package names, and the usual capability of such a server.
var capabilityWords = map[string]capability{
	"fetch": strangers | outside, "browser": strangers | outside, "browserbase": strangers | outside, "playwright": strangers | outside, "puppeteer": strangers | outside, "chrome": strangers | outside, "selenium": strangers | outside, "firecrawl": strangers, "crawl": strangers, "scrape": strangers, "scraper": strangers, "web": strangers, "search": strangers, "brave": strangers, "tavily": strangers, "exa": strangers, "rss": strangers, "reddit": strangers, "youtube": strangers, "twitter": strangers | outside, "x": strangers | outside,
	"gmail": strangers | private | outside, "mail": strangers | private | outside, "email": strangers | private | outside, "imap": strangers | private, "outlook": strangers | private | outside, "smtp": outside, "sendgrid": outside, "mailgun": outside, "resend": outside, "slack": strangers | private | outside, "discord": strangers | outside, "telegram": strangers | outside, "whatsapp": strangers | private | outside, "teams": private | outside, "twilio": outside, "webhook": outside, "zapier": outside, "http": outside, "poster": outside, "post": outside, "upload": outside, "pastebin": outside,
	"github": strangers | private | outside, "gitlab": strangers | private | outside, "jira": strangers | private, "linear": strangers | private, "zendesk": strangers | private, "intercom": strangers | private, "sentry": strangers,
	"filesystem": private, "files": private, "drive": private, "gdrive": private, "dropbox": private | outside, "notion": private | outside, "obsidian": private, "memory": private, "notes": private, "calendar": private, "contacts": private, "postgres": private, "postgresql": private, "mysql": private, "sqlite": private, "mongodb": private, "redis": private, "snowflake": private, "bigquery": private, "database": private, "db": private, "supabase": private, "salesforce": private, "hubspot": private, "stripe": private, "1password": private, "vault": private, "aws": private, "kubernetes": private, "ssh": private | outside, "shell": private | outside, "terminal": private | outside, "desktop": private,
}

// legPhrases are phrases by which skills, commands and sub-agents describe what they do.
var legPhrases = []struct {
	capability capability
	re         *lazyregexp.Regexp
}{
	{strangers | private, lazyregexp.New(`(?i)\b(?:read|check|summari[sz]e|triage|process|search|fetch|open|monitor|sort|answer)\w*\b[^.\n]{0,40}\b(?:e-?mails?|mails?|inbox|messages|slack|whatsapp)\b`)},
	{strangers, lazyregexp.New(`(?i)\b(?:read|check|summari[sz]e|triage|process|search|fetch|open|browse|scrape|crawl)\w*\b[^.\n]{0,40}\b(?:issues?|tickets?|web ?pages?|websites?|urls?|feeds?|tweets?|pull requests?|the web|the internet)\b`)},
	{private, lazyregexp.New(`(?i)\b(?:read|query|access|load|search|export)\w*\b[^.\n]{0,40}\b(?:documents?|databases?|customers?|crm|calendars?|contacts?|credentials?|notes|medical|financial)\b`)},
	{outside, lazyregexp.New(`(?i)\b(?:send|post|publish|upload|repl(?:y|ies)|tweet|submit|forward)\w*\b[^.\n]{0,40}\b(?:slack|twitter|webhooks?|e-?mails?|mails?|messages?|channels?|discord|telegram|servers?|apis?|customers?|https?:)`)},
}

var _ = register(Check{
	ID: "GNT-115", Name: "toxic-agent", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP06:2025 close, MCP10:2025 weak, ASI02 close, ASI01 weak, AST03 weak, AST06 weak, CWE-1427 weak, L4 close, L1 weak",
	Axis:     "toxic-flow", Source: check.SourceSEC,
	Doc: `One agent brings together what strangers write, what is the user's own, and a way to send to others: by its servers, skills,
commands and sub-agents, over all of its files, for each client in each project.

A stranger's mail, issue or web page can then tell the agent to take something and send it on. No part is bad by itself: a skill
that reads mail and a server that posts are enough together.

Judged by the names of servers and their packages and by what skills say that they do; nothing is started. A scan that starts the
servers judges their tools (SEC-034). Severity is medium, high where the client also runs tools or commands without asking
(GNT-109, GNT-110). A member that does all three by itself counts only
where nobody is asked.`,
	Advice: "Give these to different clients or projects, or have the one that sends ask first.",
	Run: func(p *Pass) {
		for _, g := range p.agentGroups() {
			p.judgeGroup(g)
		}
	},
})

// An agentGroup is what a client has in one project.
type agentGroup struct {
	client, project string
	members         []member
	unasked         string // setting that runs things without asking; "" for none
}

// agentGroups combines, for each client, what is global with what belongs to each project.
func (p *Pass) agentGroups() (out []*agentGroup) {
	type key struct{ client, project string }
	groups := map[key]*agentGroup{}
	get := func(client Client, project string) *agentGroup {
		k := key{string(client), project}
		if groups[k] == nil {
			groups[k] = &agentGroup{client: k.client, project: project}
			out = append(out, groups[k])
		}
		return groups[k]
	}
	unasked := map[int]string{}
	for _, id := range []finding.Rule{"GNT-109", "GNT-110"} {
		for _, k := range registered {
			if k.ID == id {
				sub := &Pass{Files: p.Files, check: k}
				k.Run(sub)
				for _, f := range sub.findings {
					if f.Severity >= finding.High {
						unasked[f.Input] = f.Evidence.Raw
					}
				}
			}
		}
	}
	for i := range p.Files {
		f := &p.Files[i]
		for j := range f.Entries {
			if e := &f.Entries[j]; !e.Disabled {
				if l := entryCapabilities(e); l != 0 {
					g := get(e.Client, e.Project)
					g.members = append(g.members, member{i, e, cmp.Or(strings.TrimSpace(e.Name), "a server without a name"), l})
				}
			}
		}
		if f.Role == Skill || f.Role == Command || f.Role == Subagent {
			if l := textCapabilities(f); l != 0 {
				g := get(f.Client, f.Project)
				g.members = append(g.members, member{i, nil, f.name(), l})
			}
		}
		if s := unasked[i]; s != "" {
			g := get(f.Client, f.Project)
			g.unasked = cmp.Or(g.unasked, s)
		}
	}
	for _, g := range out {
		if everywhere := groups[key{g.client, ""}]; g.project != "" && everywhere != nil {
			g.members = append(slices.Clone(everywhere.members), g.members...)
			g.unasked = cmp.Or(g.unasked, everywhere.unasked)
		}
	}
	return out
}

// judgeGroup reports an agent that has all three capabilities, at the member that sends.
func (p *Pass) judgeGroup(g *agentGroup) {
	var all capability
	members := slices.DeleteFunc(slices.Clone(g.members), func(m member) bool { return g.unasked == "" && m.capabilities == strangers|private|outside })
	for _, m := range members {
		all |= m.capabilities
	}
	if all != strangers|private|outside || len(members) < 2 {
		return
	}
	var parts []string
	sender := -1
	for _, l := range legNames {
		var names []string
		for i, m := range members {
			if m.capabilities&l.capability != 0 {
				names = append(names, m.name)
				if l.capability == outside {
					sender = i
				}
			}
		}
		parts = append(parts, excerpt.List(names, 4)+" "+l.says)
	}
	m := members[sender]
	r := Report{File: m.file, Entry: m.entry, At: Place{Line: 1, Column: 1, EndLine: 1, EndColumn: 1}, Evidence: m.name,
		Message: "together in " + g.client + ": " + strings.Join(parts, "; ")}
	if m.entry != nil {
		r.At = m.entry.Place
	}
	if g.unasked != "" {
		r.Severity = finding.High
		r.Message += "; and nobody is asked (" + g.unasked + ")"
	}
	p.Report(r)
}

// entryCapabilities infers a server's capabilities from its name, package and address.
func entryCapabilities(e *Entry) (out capability) {
	look := func(s string) {
		for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
			out |= capabilityWords[w]
		}
	}
	look(e.Name)
	if pkg, ok := RunsPackage(e); ok {
		look(pkg.Text)
	} else {
		look(base(e.Command))
	}
	if url := e.Address(); url != "" {
		_, host, _ := strings.Cut(url, "://")
		host, _, _ = strings.Cut(host, "/")
		look(strings.TrimPrefix(strings.TrimPrefix(host, "www."), "mcp."))
	}
	return out
}

// textCapabilities infers a skill's capabilities from its name and description.
func textCapabilities(f *File) (out capability) {
	said := f.name()
	for i := range f.Settings {
		if k := f.Settings[i].Keys; len(k) == 1 && (k[0] == "description" || k[0] == "name") {
			said += ". " + f.Settings[i].Value.Reveal()
		}
	}
	for _, p := range legPhrases {
		if p.re.MatchString(said) {
			out |= p.capability
		}
	}
	return out
}

// name is the display name of an agent file: a skill's folder, or the base name without extension.
func (f *File) name() string {
	parts := strings.Split(strings.ReplaceAll(f.Path, `\`, "/"), "/")
	last := parts[len(parts)-1]
	if f.Role == Skill && len(parts) > 1 {
		return parts[len(parts)-2]
	}
	name, _, _ := strings.Cut(last, ".")
	return name
}
