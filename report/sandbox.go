package report

import (
	"fmt"
	"strings"

	"gauntlet/result"
)

const (
	maxContacts = 12 // of a sandbox in the short text
	maxPaths    = 6
)

// sandboxSection says, for each sandboxed server, which protections held and what the server did.
func sandboxSection(r *result.Report) section {
	s := section{ID: "sandboxes", Title: "Sandboxes", Noun: "server", Share: markdownLimit / 4}
	return withRows(s, r.Sandboxes, func(s *result.Sandbox) row {
		one := row{Title: s.Server}
		if s.Missing != "" {
			one.add("none", s.Missing)
			return one
		}
		var held, lost []string
		for _, p := range s.Protections {
			if p.Held {
				held = append(held, p.Name)
			} else {
				lost = append(lost, p.Name+": "+p.Detail)
			}
		}
		one.add("held", strings.Join(held, ", "))
		one.add("not", lost...)
		one.add("note", s.Notes...)
		one.add("hosts", hostsOf(s)...)
		one.add("started", s.Programs...)
		one.add("opened", s.CanariesOpened...)
		one.add("wrote", s.FilesChanged...)
		return one
	})
}

// hostsOf describes the contacts of a server.
func hostsOf(s *result.Sandbox) (hosts []string) {
	for i := range s.Contacts {
		hosts = append(hosts, contactText(&s.Contacts[i]))
	}
	return hosts
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

// mostSandboxLines limits the sandbox lines on a screen.
const mostSandboxLines = 4

// sandboxLines says in one line each what held and whom the server contacted.
func (p *page) sandboxLines(all []result.Sandbox) {
	for i := range all {
		if i == mostSandboxLines {
			p.line("", fmt.Sprintf("and %s more", countNoun(len(all)-i, "server")))
			return
		}
		p.line("Sandbox", sandboxLine(&all[i]))
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
	if hosts := hostsOf(s); hosts != nil {
		text += "; it turned to " + strings.Join(hosts[:min(len(hosts), maxContacts)], ", ")
	}
	if len(s.CanariesOpened) > 0 {
		text += "; it opened " + strings.Join(s.CanariesOpened[:min(len(s.CanariesOpened), maxPaths)], ", ")
	}
	return text
}
