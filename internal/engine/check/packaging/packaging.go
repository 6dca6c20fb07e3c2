// Package packaging holds the checks of what is known of a package before anything of it runs: its
// archive, its name, its install scripts and the advisories about it (GNT-601 to GNT-608).
package packaging

import "gauntlet/internal/engine/check"

// Checks lists the package's checks, which register adds.
var Checks, register = check.NewLane()
