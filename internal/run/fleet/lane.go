package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

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
