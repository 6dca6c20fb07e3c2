package proberun

import "testing"

// Values that are to cost much are small, differ, and have a harmless one of their length.
func TestPumps(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Pumps() {
		if len(p.Value) == 0 || len(p.Value) > 60_000 || seen[p.Name] || seen[p.Value] {
			t.Errorf("%s: %d bytes, or not the only one", p.Name, len(p.Value))
		}
		seen[p.Name], seen[p.Value] = true, true
		if plain := p.Plain(); len(plain) != len(p.Value) || plain == p.Value {
			t.Errorf("%s: the harmless value has %d bytes, want %d", p.Name, len(plain), len(p.Value))
		}
	}
}
