package attackoauth

import (
	"fmt"
	"slices"

	"gauntlet/internal/leaf/suggest"
)

// Choose returns the named attacks, or all if there are no names.
func Choose(names []string) ([]Attack, error) {
	all := Attacks()
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for i := range all {
		known = append(known, all[i].Name)
	}
	var out []Attack
	for _, n := range names {
		at := slices.Index(known, n)
		if at < 0 {
			return nil, fmt.Errorf("no attack is called %q%s", n, suggest.Question(suggest.Names(n, known), ""))
		}
		out = append(out, all[at])
	}
	return out, nil
}
