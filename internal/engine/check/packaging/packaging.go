// Package packaging holds the checks of what is known of a package before anything of it runs: its
// archive, its name, its install scripts and the advisories about it (GNT-601 to GNT-608).
package packaging

import "gauntlet/internal/engine/check"

var lane check.Lane

// register adds a check to the lane.
var register = lane.Register

// Checks returns the lane's checks by id.
func Checks() []*check.Check { return lane.Checks() }
