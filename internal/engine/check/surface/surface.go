// Package surface holds the checks that judge one definition at a time: SEC-001 to
// SEC-009. Each check is one file and one golden under testdata.
package surface

import "gauntlet/internal/engine/check"

// Checks lists the package's checks, which register adds.
var Checks, register = check.NewLane()
