package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
	Sources []Target
	Lanes   []Lane
	Limits  Limits
}

// Limits bound one job.
type Limits struct {
	Time     time.Duration // of one attempt
	Memory   int           // of the job's process and of each that it starts, in bytes
	Attempts int           // deliveries before a job counts as failed
}

// leastMemory is what a job needs to get as far as its report: below 160 MiB the process of an attack ended with a trace of Go.
const leastMemory = 256 << 20

// Digest names the plan by everything in it that jobs depend on.
func (p *Plan) Digest(version string, documents [][]Document) string {
	named := *p
	named.File = ""
	return hashOf(version, named, documents)
}

func hashOf(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil {
		panic(err) // strings, numbers, and maps and lists of them
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
