package fleet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/yamltext"
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

func optionValues(options []string, name string) (out []string) {
	for _, o := range options {
		if v, ok := strings.CutPrefix(o, "--"+name+"="); ok {
			out = append(out, v)
		}
	}
	return out
}

var nameForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$`)

// Parse reads a plan file. It returns everything that is wrong with it, in the order of the file; the Plan is whole only if
// there is nothing.
func Parse(file, text string) (*Plan, []*yamltext.Fault) {
	base := filepath.Base(file)
	r := reader{plan: &Plan{File: file, Name: strings.TrimSuffix(base, filepath.Ext(base)), Limits: Limits{Time: 10 * time.Minute, Memory: 4 << 30, Attempts: 4}}}
	faults := r.Read(text, "a plan", MaxBytes, r.readRoot)
	return r.plan, faults
}

// reader turns nodes into a Plan and collects what is wrong.
type reader struct {
	yamltext.Reader
	plan *Plan
}

func (r *reader) readRoot(n *yaml.Node) {
	top := r.Members(n, "name", "round", "region", "targets", "lanes", "limits")
	at := cmp.Or(top["name"], n)
	if top["name"] != nil {
		r.plan.Name = r.Text("name", at)
	}
	if !nameForm.MatchString(r.plan.Name) {
		r.Wrong(at, "the name of the fleet is %q: want up to 48 letters, digits, _ and -; set it with name", r.plan.Name)
	}
	r.plan.Round, r.plan.Region = r.Text("round", top["round"]), r.Text("region", top["region"])
	r.Each("targets", top["targets"], r.readSource)
	r.Each("lanes", top["lanes"], r.readLane)
	if r.Sound() && (len(r.plan.Sources) == 0 || len(r.plan.Lanes) == 0) {
		r.Wrong(n, "a plan has targets and lanes, at least one of each")
	}
	r.readLimits(top["limits"])
}

// texts are those of a list, or one alone.
func (r *reader) texts(key string, n *yaml.Node) (out []string) {
	if n != nil && n.Kind == yaml.ScalarNode && !yamltext.Null(n) {
		return []string{r.Text(key, n)}
	}
	r.Each(key, n, func(e *yaml.Node) { out = append(out, r.Text(key, e)) })
	return out
}

// optionTexts are the values of an option of a lane, which may be true or false as well.
func (r *reader) optionTexts(key string, n *yaml.Node) []string {
	if n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		return []string{strings.ToLower(n.Value)}
	}
	return r.texts(key, n)
}

func (r *reader) readSource(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode { // short: a URL, a package or the name of a file
		r.plan.Sources = append(r.plan.Sources, bareTarget(r.Text("targets", n)))
		return
	}
	m := r.Members(n, append(kindNames(), "name", "env", "bearer_env")...)
	var s Target
	given := 0
	for _, k := range kindNames() {
		if m[k] != nil {
			given++
			s.Kind, s.Value = Kind(k), r.texts(k, m[k])
		}
	}
	s.Name, s.Env, s.Bearer = r.Text("name", m["name"]), r.texts("env", m["env"]), r.Text("bearer_env", m["bearer_env"])
	if given != 1 {
		r.Wrong(n, "a target has one of %s, this one has %d of them", strings.Join(kindNames(), ", "), given)
	} else if err := s.Check(); err != nil {
		r.Wrong(n, "%s", err)
	}
	r.plan.Sources = append(r.plan.Sources, s)
}

func (r *reader) readLane(n *yaml.Node) {
	var m map[string]*yaml.Node
	if n.Kind == yaml.ScalarNode {
		m = map[string]*yaml.Node{"lane": n}
	} else {
		m = r.Members(n, "lane", "documents", "options")
	}
	l := Lane{Name: LaneName(r.Text("lane", m["lane"])), Documents: r.texts("documents", m["documents"])}
	known, ok := lanes[l.Name]
	if !ok {
		r.Wrong(n, "unknown lane %q: want one of %s", l.Name, strings.Join(laneNames(), ", "))
		return
	}
	if len(l.Documents) > 0 && !known.documents {
		r.Wrong(m["documents"], "documents are for the lanes attack and redteam")
	}
	values := r.Members(m["options"], known.options...)
	for _, name := range known.options { // in the order of the table, so that one set of options has one name
		for _, v := range r.optionTexts(name, values[name]) {
			l.Options = append(l.Options, "--"+name+"="+v)
		}
	}
	r.plan.Lanes = append(r.plan.Lanes, l)
}

var sizeForm = lazyregexp.New(`^([0-9]{1,6})(MiB|GiB)$`)

func (r *reader) readLimits(n *yaml.Node) {
	m, limits := r.Members(n, "time", "memory", "attempts"), &r.plan.Limits
	var err error
	if v := m["time"]; v != nil {
		if limits.Time, err = time.ParseDuration(r.Text("time", v)); err != nil || limits.Time < time.Second || limits.Time > 24*time.Hour {
			r.Wrong(v, "time: want a duration from 1s to 24h")
		}
	}
	if v := m["memory"]; v != nil {
		limits.Memory = 0
		if size := sizeForm.FindStringSubmatch(r.Text("memory", v)); size != nil {
			limits.Memory, _ = strconv.Atoi(size[1]) // digits, by the form
			limits.Memory <<= map[string]int{"MiB": 20, "GiB": 30}[size[2]]
		}
		if limits.Memory < leastMemory {
			r.Wrong(v, "memory: want 256MiB or more, such as 512MiB or 2GiB: with less a job cannot write its report")
		}
	}
	if v := m["attempts"]; v != nil {
		if limits.Attempts, err = strconv.Atoi(r.Text("attempts", v)); err != nil || limits.Attempts < 1 || limits.Attempts > 100 {
			r.Wrong(v, "attempts: want a number from 1 to 100")
		}
	}
}
