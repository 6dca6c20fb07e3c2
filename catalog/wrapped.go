package catalog

import (
	"cmp"

	"gauntlet/finding"
	"gauntlet/rawjson"
)

// unwrap returns the item that an element of a list stands for, and whether it is there.
func (r *reader) unwrap(s rawjson.Span) (rawjson.Span, bool) {
	if r.inner == "" {
		return s, true
	}
	if r.first(s) != '{' {
		return s, false
	}
	v, ok := lookup(r.members(s.Start), r.inner)
	if !ok {
		return s, false
	}
	return v, true
}

// unwrapped returns the members of a server as they would stand in a snapshot, without
// what is not the server's own.
func (r *reader) unwrapped(s *Server, ms []member) []member {
	var out []member
	if v, ok := lookup(ms, "anonymous"); ok && r.first(v) == 't' {
		s.Anonymous = true
	}
	if e := r.text(ms, "entry"); e != "" {
		s.Entries = []string{e}
	}
	if v, ok := lookup(ms, "target"); ok && r.first(v) == '{' {
		target := r.members(v.Start)
		s.Target = cmp.Or(r.text(target, "url"), r.text(target, "command"))
	}
	for _, m := range ms {
		_, list := listNames[m.name]
		switch {
		case m.name == "name" && s.Anonymous:
			continue
		case m.name == "instructions" || m.name == "server" || m.name == "serverInfo" || m.name == "capabilities":
			v, ok := r.unwrap(m.value)
			if !ok {
				r.problem(finding.Malformed, r.at(s, "/"+m.name), m.value.Start, "the entry has no "+r.inner)
				continue
			}
			m.value = v
		case list || m.name == "name" || m.name == "protocolVersion":
		default:
			continue
		}
		out = append(out, m)
	}
	return out
}

// text returns the member of this name if it is a string, else "".
func (r *reader) text(ms []member, name string) string {
	v, ok := lookup(ms, name)
	if !ok || r.first(v) != '"' {
		return ""
	}
	return rawjson.Unquote(r.doc.Text[v.Start:v.End])
}
