package report

import (
	"fmt"
	"strings"

	"gauntlet/result"
)

// sandboxSection says, for each sandboxed server, which protections held and what the server did.
func sandboxSection(r *result.Report) section {
	s := section{ID: "sandboxes", Title: "Sandboxes", Brief: "Sandbox", BriefRows: true, Noun: "server", Share: markdownLimit / 4}
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
		for i := range s.Contacts {
			one.add("hosts", contactText(&s.Contacts[i]))
		}
		one.add("opened", s.CanariesOpened...)
		one.add("started", s.Programs...)
		one.add("wrote", s.FilesChanged...)
		one.add("held", strings.Join(held, ", "))
		one.add("not", lost...)
		one.add("note", s.Notes...)
		return one
	})
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
