package catalog

// A Pair is a server in two states.
type Pair struct{ Was, Is *Server }

// Pairs matches the servers of two catalogs, in the order of now.
//
// Servers that both have entries match if and only if they share one, since the user told them apart. The others match
// by name. Several servers of one name match by a target that only they share, then by the number of common definitions,
// then by order. If each side has a single server, the two match whatever their names: a rename is one of the changes.
func Pairs(was, now *Catalog) []Pair {
	m := matching{was: was.Servers, now: now.Servers, paired: map[*Server]*Server{}, taken: map[*Server]bool{}}
	m.entries()
	if len(m.was) == 1 && len(m.now) == 1 {
		m.by(func(*Server) string { return "the only one" })
	}
	if several := m.several((*Server).sortName); len(several) > 0 {
		shared := m.several((*Server).placeKey)
		m.by(func(s *Server) string {
			if !several[s.Name] || shared[s.placeKey()] {
				return ""
			}
			return s.placeKey()
		})
		m.alike(m.several((*Server).sortName))
	}
	m.by((*Server).sortName)
	var out []Pair
	for _, s := range m.now {
		if w := m.paired[s]; w != nil {
			out = append(out, Pair{w, s})
		}
	}
	return out
}

func (s *Server) sortName() string { return s.Name }

// placeKey returns name and target, "" without a target.
func (s *Server) placeKey() string {
	if s.Target == "" {
		return ""
	}
	return s.Name + "\x00" + s.Target
}

// matching is a pairing in progress.
type matching struct {
	was, now []*Server
	paired   map[*Server]*Server // now to was
	taken    map[*Server]bool    // of was
}

func (m *matching) pairServers(w, s *Server) { m.paired[s], m.taken[w] = w, true }

func (m *matching) entries() {
	with := map[string]*Server{}
	for _, w := range m.was {
		for _, e := range w.Entries {
			if with[e] == nil {
				with[e] = w
			}
		}
	}
	for _, s := range m.now {
		for _, e := range s.Entries {
			if w := with[e]; w != nil && !m.taken[w] {
				m.pairServers(w, s)
				break
			}
		}
	}
}

// by pairs the remaining servers with equal keys, in order, unless both have entries. The key "" matches nothing.
func (m *matching) by(key func(*Server) string) {
	var left [2]map[string][]*Server // without and with entries
	for i := range left {
		left[i] = map[string][]*Server{}
	}
	for _, w := range m.was {
		if k := key(w); k != "" && !m.taken[w] {
			i := min(len(w.Entries), 1)
			left[i][k] = append(left[i][k], w)
		}
	}
	for _, s := range m.now {
		if m.paired[s] != nil {
			continue
		}
		k := key(s)
		for i := range left {
			if q := left[i][k]; len(q) > 0 && (i == 0 || len(s.Entries) == 0) {
				m.pairServers(q[0], s)
				left[i][k] = q[1:]
				break
			}
		}
	}
}

func (m *matching) several(key func(*Server) string) map[string]bool {
	out := map[string]bool{}
	for _, servers := range [2][]*Server{m.was, m.now} {
		n := map[string]int{}
		for _, s := range servers {
			if k := key(s); !m.isMatched(s) {
				if n[k]++; n[k] > 1 {
					out[k] = true
				}
			}
		}
	}
	return out
}

func (m *matching) isMatched(s *Server) bool { return m.taken[s] || m.paired[s] != nil }
