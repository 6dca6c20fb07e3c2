package catalog

import (
	"cmp"

	"gauntlet/finding"
	"gauntlet/rawjson"
)

// unwrap returns the item in a list element, and whether there is one.
func (r *reader) unwrap(s rawjson.Span) (rawjson.Span, bool) {
	if r.inner == "" {
		return s, true
	}
	if r.firstByte(s) != '{' {
		return s, false
	}
	v, ok := lookUpMember(r.readMembers(s.Start), r.inner)
	if !ok {
		return s, false
	}
	return v, true
}

// unwrapped returns the members of a server as in a snapshot, without those of the surrounding format.
func (r *reader) unwrapped(s *Server, ms []member) []member {
	var out []member
	if v, ok := lookUpMember(ms, "anonymous"); ok && r.firstByte(v) == 't' {
		s.Anonymous = true
	}
	if e := r.readText(ms, "entry"); e != "" {
		s.Entries = []string{e}
	}
	if v, ok := lookUpMember(ms, "target"); ok && r.firstByte(v) == '{' {
		target := r.readMembers(v.Start)
		s.Target = cmp.Or(r.readText(target, "url"), r.readText(target, "command"))
	}
	for _, m := range ms {
		_, list := listNames[m.name]
		switch {
		case m.name == "name" && s.Anonymous:
			continue
		case m.name == "instructions" || m.name == "server" || m.name == "serverInfo" || m.name == "capabilities":
			v, ok := r.unwrap(m.value)
			if !ok {
				r.addProblem(finding.Malformed, r.locationIn(s, "/"+m.name), m.value.Start, "the entry has no "+r.inner)
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

// readText returns the member with this name if it is a string, otherwise "".
func (r *reader) readText(ms []member, name string) string {
	v, ok := lookUpMember(ms, name)
	if !ok || r.firstByte(v) != '"' {
		return ""
	}
	return rawjson.Unquote(r.doc.Text[v.Start:v.End])
}
