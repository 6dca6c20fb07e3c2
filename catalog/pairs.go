package catalog

// A Pair is one server in two states.
type Pair struct{ Was, Is *Server }

// Pairs matches the servers of two catalogs by name, several of one name by their order.
// Where both sides have one server it is the same, whatever it is called: a new name is
// one of the changes. The order is that of now.
func Pairs(was, now *Catalog) []Pair {
	if len(now.Servers) == 1 && len(was.Servers) == 1 {
		return []Pair{{was.Servers[0], now.Servers[0]}}
	}
	before := map[string][]*Server{}
	for _, s := range was.Servers {
		before[s.Name] = append(before[s.Name], s)
	}
	var out []Pair
	for _, s := range now.Servers {
		if same := before[s.Name]; len(same) > 0 {
			out = append(out, Pair{same[0], s})
			before[s.Name] = same[1:]
		}
	}
	return out
}
