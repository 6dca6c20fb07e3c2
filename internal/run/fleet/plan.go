package fleet

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/leaf/lazyregexp"
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
	return Digest(text)
}

// A LaneName names what is done to a target: the command of gauntlet of that name.
type LaneName string

// The lanes.
const (
	Scan    LaneName = "scan"
	Vet     LaneName = "vet"
	Probe   LaneName = "probe"
	Attack  LaneName = "attack"
	Redteam LaneName = "redteam"
)

// A Lane is one lane of a plan.
type Lane struct {
	Name LaneName
	// Documents are attack documents of attack and redteam, by name or file: a job each.
	Documents []string
	// Options are flags of the command, as "--name=value".
	Options []string
}

// lanes are what each lane takes. None of the options names a file, sets a variable or decides where output goes: a job from
// outside could otherwise read or write what is none of its business.
var lanes = map[LaneName]struct {
	kinds     []Kind
	documents bool
	options   []string
}{
	Scan: {kinds: []Kind{File, URL, Command}, options: strings.Fields(`only skip gate fail-on differential timeout total-timeout max-pages max-message
		max-bytes max-depth max-items sandbox sandbox-allow model max-calls max-tokens max-cost model-parallel model-timeout`)},
	Vet: {kinds: []Kind{Package}, options: strings.Fields("gate fail-on depth budget timeout sandbox-allow")},
	Probe: {kinds: []Kind{URL, Command}, options: strings.Fields(`gate fail-on sandbox sandbox-allow allow-calls destructive include-low class budget
		call-timeout max-message max-bytes max-depth max-items`)},
	Attack: {kinds: []Kind{URL, Command, Model, Agent}, documents: true, options: strings.Fields(`repeat timeout grace parallel revision agent-transport
		agent-timeout agent-idle turns max-message max-calls max-tokens max-cost model-parallel model-timeout sandbox sandbox-allow`)},
	Redteam: {kinds: []Kind{Model}, documents: true, options: strings.Fields(`runs no-control turns answer-tokens agent-timeout agent-idle parallel max-calls
		max-tokens max-cost model-parallel model-timeout`)},
}

func laneNames() (out []string) {
	for _, n := range slices.Sorted(maps.Keys(lanes)) {
		out = append(out, string(n))
	}
	return out
}

var optionForm = lazyregexp.New(`^--([a-z-]+)=`)

// checkOptions refuses flags that the lane's table does not have.
func checkOptions(lane LaneName, options []string) error {
	if len(options) > maxWords {
		return fmt.Errorf("more than %d options", maxWords)
	}
	for _, o := range options {
		m := optionForm.FindStringSubmatch(o)
		if m == nil || !slices.Contains(lanes[lane].options, m[1]) || len(o) > maxWord || strings.ContainsRune(o, 0) {
			return fmt.Errorf("the lane %s takes no such option", lane)
		}
	}
	return nil
}

// Takes reports whether a lane can do something with a kind of target.
func (n LaneName) Takes(k Kind) bool { return slices.Contains(lanes[n].kinds, k) }

// optionValues returns the values of one flag among options.
func optionValues(options []string, name string) (out []string) {
	for _, o := range options {
		if v, ok := strings.CutPrefix(o, "--"+name+"="); ok {
			out = append(out, v)
		}
	}
	return out
}
