// Package fleetplan says what a fleet run is made of: the plan that a person writes, the jobs that follow from it, and the
// seals by which a worker knows a job of the plan from a stranger's.
package fleetplan

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// MaxBytes is the longest plan file, in bytes.
const MaxBytes = 16 << 20

// A Plan is a plan file: sources of targets, and the lanes that each target is put through.
type Plan struct {
	File string
	// Name names the fleet: letters, digits, _ and -. Plans of one name share results.
	Name string
	// Round is part of every job's name. A new one has everything done again; without, a job whose target,
	// lane, options and version have not changed keeps the result it has.
	Round   string
	Region  string // workers must declare it; "" for any
	Sources []Source
	Lanes   []Lane
	Limits  Limits
	Rates   Rates
}

// A Source is one entry of targets.
type Source struct {
	Target Target // of the kinds that are one target; Kind "" for the sources below
	// Exactly one of these is set where Target.Kind is "": names of files or directories, as they stand in the plan.
	Directory, List, Registry, Configuration string
	// Start allows commands and URLs of a configuration or of a registry's packages to be started.
	Start bool
	Line  int // in the plan
}

// Limits bound one job.
type Limits struct {
	Time     time.Duration // of one attempt
	Memory   int           // of the job's process and of each that it starts, in bytes
	Attempts int           // deliveries before a job counts as failed
}

// DefaultLimits are those of a plan that sets none.
func DefaultLimits() Limits { return Limits{Time: 10 * time.Minute, Memory: 4 << 30, Attempts: 4} }

// A Rate is how often something may be begun: Count in Per.
type Rate struct {
	Count int           `json:"n"`
	Per   time.Duration `json:"per"`
}

// Interval is the time from one to the next.
func (r Rate) Interval() time.Duration { return r.Per / time.Duration(max(r.Count, 1)) }

// Rates are by host of a URL and by provider of a model; the key "*" is for each host or provider without a rate of its own.
type Rates struct {
	Hosts, Providers map[string]Rate
}

// An Error is one thing that is wrong with a plan.
type Error struct {
	File         string
	Line, Column int // 0 where no place applies
	Msg          string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

func sortErrors(errs []Error) {
	slices.SortStableFunc(errs, func(a, b Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
}
