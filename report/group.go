package report

import (
	"cmp"
	"strings"

	"gauntlet/finding"
)

// A serverGroup holds the findings of one server in one file.
type serverGroup struct {
	server, file string // file is the origin of a live server
	items        []*itemGroup
}

// An itemGroup holds the findings of one definition in reading order.
type itemGroup struct {
	first    *finding.Location
	findings []*finding.Finding
}

// grouped groups findings by server and definition, in order of first occurrence. Findings keep their order.
func grouped(fs []finding.Finding) []*serverGroup {
	type serverKey struct{ server, file string }
	type itemKey struct {
		serverKey
		kind finding.Kind
		item string
	}
	var groups []*serverGroup
	servers := map[serverKey]*serverGroup{}
	items := map[itemKey]*itemGroup{}
	for i := range fs {
		l := &fs[i].Location
		sk := serverKey{l.Server, cmp.Or(l.File, l.Origin)}
		ik := itemKey{sk, l.Kind, l.Item}
		g := items[ik]
		if g == nil {
			s := servers[sk]
			if s == nil {
				s = &serverGroup{server: l.Server, file: sk.file}
				servers[sk] = s
				groups = append(groups, s)
			}
			g = &itemGroup{first: l}
			items[ik] = g
			s.items = append(s.items, g)
		}
		g.findings = append(g.findings, &fs[i])
	}
	return groups
}

// kindWord returns the name of a kind for display.
func kindWord(k finding.Kind) string {
	if k == "" {
		return string(finding.Server)
	}
	return strings.ReplaceAll(string(k), "_", " ")
}

// itemTitle names a definition: "tool read_file". The result is not Visible yet.
func itemTitle(l *finding.Location) string {
	if l.Item == "" {
		return kindWord(l.Kind)
	}
	return kindWord(l.Kind) + " " + l.Item
}
