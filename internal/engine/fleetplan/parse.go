package fleetplan

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/yamltext"
)

var nameForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$`)

// Parse reads a plan file. It returns everything that is wrong with it, in the order of the file; the Plan is whole only if
// there is nothing.
func Parse(file, text string) (*Plan, []*yamltext.Fault) {
	base := filepath.Base(file)
	r := reader{plan: &Plan{File: file, Name: strings.TrimSuffix(base, filepath.Ext(base)), Limits: Limits{Time: 10 * time.Minute, Memory: 4 << 30, Attempts: 4}}}
	root, err := yamltext.Document(text, "a plan", MaxBytes)
	switch {
	case err != nil:
		r.add(yamltext.Placed(err))
	case root == nil:
		r.add(&yamltext.Fault{Line: 1, Column: 1, Msg: "the file is empty"})
	default:
		r.readRoot(root)
	}
	slices.SortStableFunc(r.errors, func(a, b *yamltext.Fault) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return r.plan, r.errors
}

// reader turns nodes into a Plan and collects what is wrong.
type reader struct {
	plan   *Plan
	errors []*yamltext.Fault
}

func (r *reader) add(f *yamltext.Fault) {
	if f != nil {
		r.errors = append(r.errors, f)
	}
}

func (r *reader) wrong(n *yaml.Node, format string, args ...any) {
	r.add(yamltext.Wrong(n, format, args...))
}

func (r *reader) members(n *yaml.Node, known ...string) map[string]*yaml.Node {
	if n == nil || yamltext.Null(n) {
		return nil
	}
	m, fault := yamltext.Members(n, known...)
	r.add(fault)
	return m
}

func (r *reader) readRoot(n *yaml.Node) {
	top := r.members(n, "name", "round", "region", "targets", "lanes", "limits")
	at := cmp.Or(top["name"], n)
	if top["name"] != nil {
		r.plan.Name = r.text("name", at)
	}
	if !nameForm.MatchString(r.plan.Name) {
		r.wrong(at, "the name of the fleet is %q: want up to 48 letters, digits, _ and -; set it with name", r.plan.Name)
	}
	r.plan.Round, r.plan.Region = r.text("round", top["round"]), r.text("region", top["region"])
	for _, s := range r.items("targets", top["targets"]) {
		r.readSource(s)
	}
	for _, l := range r.items("lanes", top["lanes"]) {
		r.readLane(l)
	}
	if len(r.errors) == 0 && (len(r.plan.Sources) == 0 || len(r.plan.Lanes) == 0) {
		r.wrong(n, "a plan has targets and lanes, at least one of each")
	}
	r.readLimits(top["limits"])
}

func (r *reader) text(key string, n *yaml.Node) string {
	if n == nil {
		return ""
	}
	s, fault := yamltext.Scalar(key, n)
	r.add(fault)
	return s
}

func (r *reader) items(key string, n *yaml.Node) []*yaml.Node {
	switch {
	case n == nil || yamltext.Null(n):
		return nil
	case n.Kind != yaml.SequenceNode:
		r.wrong(n, "%s: want a list", key)
		return nil
	}
	return n.Content
}

func (r *reader) texts(key string, n *yaml.Node) (out []string) {
	if n != nil && n.Kind == yaml.ScalarNode && !yamltext.Null(n) {
		return []string{r.text(key, n)}
	}
	for _, item := range r.items(key, n) {
		out = append(out, r.text(key, item))
	}
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
		r.plan.Sources = append(r.plan.Sources, bareTarget(r.text("targets", n)))
		return
	}
	m := r.members(n, append(kindNames(), "name", "env", "bearer_env")...)
	var s Target
	given := 0
	for _, k := range kindNames() {
		if m[k] != nil {
			given++
			s.Kind, s.Value = Kind(k), r.texts(k, m[k])
		}
	}
	s.Name, s.Env, s.Bearer = r.text("name", m["name"]), r.texts("env", m["env"]), r.text("bearer_env", m["bearer_env"])
	if given != 1 {
		r.wrong(n, "a target has one of %s, this one has %d of them", strings.Join(kindNames(), ", "), given)
	} else if err := s.Check(); err != nil {
		r.wrong(n, "%s", err)
	}
	r.plan.Sources = append(r.plan.Sources, s)
}

func (r *reader) readLane(n *yaml.Node) {
	var m map[string]*yaml.Node
	if n.Kind == yaml.ScalarNode {
		m = map[string]*yaml.Node{"lane": n}
	} else {
		m = r.members(n, "lane", "documents", "options")
	}
	l := Lane{Name: LaneName(r.text("lane", m["lane"])), Documents: r.texts("documents", m["documents"])}
	known, ok := lanes[l.Name]
	if !ok {
		r.wrong(n, "unknown lane %q: want one of %s", l.Name, strings.Join(laneNames(), ", "))
		return
	}
	if len(l.Documents) > 0 && !known.documents {
		r.wrong(m["documents"], "documents are for the lanes attack and redteam")
	}
	values := r.members(m["options"], known.options...)
	for _, name := range known.options { // in the order of the table, so that one set of options has one name
		for _, v := range r.optionTexts(name, values[name]) {
			l.Options = append(l.Options, "--"+name+"="+v)
		}
	}
	r.plan.Lanes = append(r.plan.Lanes, l)
}

var sizeForm = lazyregexp.New(`^([0-9]{1,6})(MiB|GiB)$`)

func (r *reader) readLimits(n *yaml.Node) {
	m, limits := r.members(n, "time", "memory", "attempts"), &r.plan.Limits
	var err error
	if v := m["time"]; v != nil {
		if limits.Time, err = time.ParseDuration(r.text("time", v)); err != nil || limits.Time < time.Second || limits.Time > 24*time.Hour {
			r.wrong(v, "time: want a duration from 1s to 24h")
		}
	}
	if v := m["memory"]; v != nil {
		limits.Memory = 0
		if size := sizeForm.FindStringSubmatch(r.text("memory", v)); size != nil {
			limits.Memory, _ = strconv.Atoi(size[1]) // digits, by the form
			limits.Memory <<= map[string]int{"MiB": 20, "GiB": 30}[size[2]]
		}
		if limits.Memory < leastMemory {
			r.wrong(v, "memory: want 256MiB or more, such as 512MiB or 2GiB: with less a job cannot write its report")
		}
	}
	if v := m["attempts"]; v != nil {
		if limits.Attempts, err = strconv.Atoi(r.text("attempts", v)); err != nil || limits.Attempts < 1 || limits.Attempts > 100 {
			r.wrong(v, "attempts: want a number from 1 to 100")
		}
	}
}
