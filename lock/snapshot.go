package lock

// Snapshot returns the approved servers as a snapshot of several, as if they had been
// captured when they were approved, each under its address. Members stand in the order of the canonical form.
func (f *File) Snapshot() string {
	w := &writer{}
	w.open('{')
	w.key("servers")
	w.open('[')
	for i := range f.Servers {
		s := &f.Servers[i]
		w.next()
		w.open('{')
		w.member("name", quote(s.Address()))
		if s.Revision != "" {
			w.member("protocolVersion", quote(s.Revision))
		}
		for _, p := range s.Self {
			w.member(p.Member, p.Text)
		}
		for l := range s.Lists {
			if !s.Lists[l].Present {
				continue
			}
			w.key(members[l])
			w.open('[')
			for _, it := range s.Lists[l].Items {
				w.next()
				w.b = append(w.b, it.Text...)
			}
			w.close(']')
		}
		w.close('}')
	}
	w.close(']')
	w.close('}')
	return string(append(w.b, '\n'))
}
