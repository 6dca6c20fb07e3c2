// Package surface holds the checks that judge one definition at a time: SEC-001 to
// SEC-009. Each check is one file and one golden under testdata.
package surface

import "gauntlet/internal/engine/check"

var lane check.Lane

// register adds a check to the lane.
var register = lane.Register

// Checks returns the package's checks by id.
func Checks() []*check.Check { return lane.Checks() }
