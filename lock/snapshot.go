package lock

import "gauntlet/rawjson"

// Snapshot returns the approved servers as a snapshot, as if captured when approved, each named by its address. Members
// are in canonical order.
func (f *File) Snapshot() string {
	w := &writer{}
	w.openBracket('{')
	w.writeKey("servers")
	w.openBracket('[')
	for i := range f.Servers {
		s := &f.Servers[i]
		w.nextElement()
		w.openBracket('{')
		w.writeMember("name", rawjson.Quote(s.Address()))
		if s.Revision != "" {
			w.writeMember("protocolVersion", rawjson.Quote(s.Revision))
		}
		for _, p := range s.Self {
			w.writeMember(p.Member, p.Text)
		}
		for l := range s.Lists {
			if !s.Lists[l].Present {
				continue
			}
			w.writeKey(members[l])
			w.openBracket('[')
			for _, it := range s.Lists[l].Items {
				w.nextElement()
				w.b = append(w.b, it.Text...)
			}
			w.closeBracket(']')
		}
		w.closeBracket('}')
	}
	w.closeBracket(']')
	w.closeBracket('}')
	return string(append(w.b, '\n'))
}
