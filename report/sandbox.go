package report

import (
	"fmt"
	"strings"

	"gauntlet/result"
)

const (
	maxContacts = 12 // per sandbox, unless verbose
	maxPaths    = 6
)

// sandboxes says, for each sandboxed server, which protections held and what the server did.
func (p *page) sandboxes(all []result.Sandbox) {
	for i := range all {
		p.sandbox(&all[i])
	}
}

func (p *page) sandbox(s *result.Sandbox) {
	p.heading("Sandbox", "  "+clipText(Visible(s.Server), p.width-12))
	if s.Missing != "" {
		p.labelled(2, "none:", Visible(s.Missing))
		p.writeBlank()
		return
	}
	var held []string
	for _, l := range s.Protections {
		if l.Held {
			held = append(held, l.Name)
		}
	}
	p.labelled(2, "held:", Visible(strings.Join(held, ", ")))
	for _, l := range s.Protections {
		if !l.Held {
			p.labelled(2, "not:", Visible(l.Name+": "+l.Detail))
		}
	}
	for _, n := range s.Notes {
		p.labelled(2, "note:", Visible(n))
	}
	p.sandboxList("hosts:", len(s.Contacts), maxContacts, func(i int) string { return contactText(&s.Contacts[i]) })
	p.sandboxList("started:", len(s.Programs), maxPaths, func(i int) string { return s.Programs[i] })
	p.sandboxList("opened:", len(s.CanariesOpened), maxPaths, func(i int) string { return s.CanariesOpened[i] })
	p.sandboxList("wrote:", len(s.FilesChanged), maxPaths, func(i int) string { return s.FilesChanged[i] })
	p.writeBlank()
}

// sandboxList lists what a server did, at most room entries.
func (p *page) sandboxList(label string, n, room int, text func(int) string) {
	if n == 0 {
		return
	}
	if p.verbose {
		room = n
	}
	var parts []string
	for i := range min(n, room) {
		parts = append(parts, text(i))
	}
	if n > room {
		parts = append(parts, fmt.Sprintf("and %s more", groupDigits(n-room)))
	}
	p.labelled(2, label, Visible(strings.Join(parts, ", ")))
}

// contactText describes a contact: "evil.example (request, 3 times)".
func contactText(c *result.Contact) string {
	text := fmt.Sprintf("%s (%s", c.Host, c.How)
	if c.Times > 1 {
		text += fmt.Sprintf(", %d times", c.Times)
	}
	if c.Allowed {
		text += ", allowed"
	}
	return text + ")"
}

func mdSandbox(s *result.Sandbox) string {
	if s.Missing != "" {
		return "- " + codeSpan(s.Server, mdWide) + " ran without a sandbox: " + codeSpan(s.Missing, mdWide)
	}
	lost := ""
	for _, l := range s.Protections {
		if !l.Held {
			lost += ", not held: " + codeSpan(l.Name+": "+l.Detail, mdWide)
		}
	}
	var hosts []string
	for i := range s.Contacts[:min(len(s.Contacts), maxContacts)] {
		hosts = append(hosts, contactText(&s.Contacts[i]))
	}
	text := fmt.Sprintf("- %s: %d protections%s", codeSpan(s.Server, mdWide), len(s.Protections), lost)
	if hosts != nil {
		text += "  \n  hosts: " + codeSpan(strings.Join(hosts, ", "), mdWide)
	}
	return text
}

// mostSandboxLines limits the sandbox lines on a screen.
const mostSandboxLines = 4

// sandboxLines says in one line each what held and whom the server contacted.
func (p *page) sandboxLines(all []result.Sandbox) {
	for i := range all {
		if i == mostSandboxLines {
			p.line("", fmt.Sprintf("and %s more", countNoun(len(all)-i, "server")))
			return
		}
		p.line("Sandbox", Visible(sandboxLine(&all[i])))
	}
}

func sandboxLine(s *result.Sandbox) string {
	if s.Missing != "" {
		return s.Server + " ran without one: " + s.Missing
	}
	held := 0
	for _, l := range s.Protections {
		if l.Held {
			held++
		}
	}
	text := fmt.Sprintf("%s: %d of %s held", s.Server, held, countNoun(len(s.Protections), "protection"))
	if n := len(s.Contacts); n > 0 {
		var hosts []string
		for i := range s.Contacts[:min(n, maxContacts)] {
			hosts = append(hosts, contactText(&s.Contacts[i]))
		}
		text += "; it turned to " + strings.Join(hosts, ", ")
	}
	if len(s.CanariesOpened) > 0 {
		text += "; it opened " + strings.Join(s.CanariesOpened[:min(len(s.CanariesOpened), maxPaths)], ", ")
	}
	return text
}
