package catalog

import (
	"cmp"
	"slices"

	"gauntlet/finding"
	"gauntlet/rawjson"
)

// widespread is the number of servers per state beyond which a definition they share is ignored for telling them apart.
// It bounds the work for catalogs in which all servers say the same.
const widespread = 50

// alike pairs servers of the same name by content, the largest share of common definitions first. several holds the names to consider.
func (m *matching) alike(several map[string]bool) {
	type score struct {
		was, now int
		share    float64
	}
	var sizes [2]map[int]int
	var holders [2]map[string][]int // of a definition, which a server may repeat
	for side, servers := range [2][]*Server{m.was, m.now} {
		sizes[side], holders[side] = map[int]int{}, map[string][]int{}
		for i, s := range servers {
			if several[s.Name] && !m.isMatched(s) {
				for _, h := range s.forms() {
					sizes[side][i]++
					holders[side][h] = append(holders[side][h], i)
				}
			}
		}
	}
	common := map[[2]int]int{}
	for h, was := range holders[0] {
		now := holders[1][h]
		if len(was) > widespread || len(now) > widespread {
			continue
		}
		for _, w := range was {
			for _, n := range now {
				common[[2]int{w, n}]++
			}
		}
	}
	var scores []score
	for at, n := range common {
		scores = append(scores, score{at[0], at[1], float64(n) / float64(sizes[0][at[0]]+sizes[1][at[1]]-n)})
	}
	slices.SortFunc(scores, func(a, b score) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.was, b.was), cmp.Compare(a.now, b.now))
	})
	for _, s := range scores {
		w, n := m.was[s.was], m.now[s.now]
		if !m.taken[w] && m.paired[n] == nil && (len(w.Entries) == 0 || len(n.Entries) == 0) {
			m.pairServers(w, n)
		}
	}
}

// forms returns hashes of a server's distinct definitions, each combined with the server's name.
func (s *Server) forms() []string {
	var tree rawjson.Tree
	var out []string
	for it := range s.Items() {
		out = append(out, finding.ContentHash(s.Name+"\x00"+it.list+"\x00"+it.Parse(s, &tree).Canonical()))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
