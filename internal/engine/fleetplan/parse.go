package fleetplan

import (
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
func Parse(file, text string) (*Plan, []Error) {
	base := filepath.Base(file)
	r := reader{plan: &Plan{File: file, Name: strings.TrimSuffix(base, filepath.Ext(base)), Limits: DefaultLimits()}}
	root, err := yamltext.Document(text, "a plan", MaxBytes)
	switch {
	case err != nil:
		r.add(yamltext.Placed(err))
	case root == nil:
		r.add(&yamltext.Fault{Line: 1, Column: 1, Msg: "the file is empty"})
	default:
		r.readRoot(root)
	}
	sortErrors(r.errors)
	return r.plan, r.errors
}

// reader turns nodes into a Plan and collects what is wrong.
type reader struct {
	plan   *Plan
	errors []Error
}

func (r *reader) add(f *yamltext.Fault) {
	if f != nil {
		r.errors = append(r.errors, Error{r.plan.File, f.Line, f.Column, f.Msg})
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
	top := r.members(n, "name", "round", "region", "targets", "lanes", "limits", "rates")
	if v := top["name"]; v != nil {
		r.plan.Name = r.text("name", v)
	}
	if !nameForm.MatchString(r.plan.Name) {
		at := n
		if top["name"] != nil {
			at = top["name"]
		}
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
	rates := r.members(top["rates"], "hosts", "providers")
	r.plan.Rates = Rates{r.readRates(rates["hosts"]), r.readRates(rates["providers"])}
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

func (r *reader) flag(key string, n *yaml.Node) bool {
	if n != nil && (n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool") {
		r.wrong(n, "%s is neither true nor false", key)
		return false
	}
	return n != nil && strings.EqualFold(n.Value, "true")
}

// sourceKeys are what an entry of targets can be; it has one of them.
var sourceKeys = []string{"file", "url", "command", "model", "agent", "package", "directory", "list", "registry", "configuration"}

func (r *reader) readSource(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode { // short: a URL or the name of a file
		r.plan.Sources = append(r.plan.Sources, Source{Target: bareTarget(r.text("targets", n)), Line: n.Line})
		return
	}
	m := r.members(n, slices.Concat(sourceKeys, []string{"name", "env", "bearer_env", "start"})...)
	s := Source{Line: n.Line, Start: r.flag("start", m["start"])}
	t := &s.Target
	given := 0
	for _, k := range sourceKeys {
		v := m[k]
		if v == nil {
			continue
		}
		given++
		switch k {
		case "directory":
			s.Directory = r.text(k, v)
		case "list":
			s.List = r.text(k, v)
		case "registry":
			s.Registry = r.text(k, v)
		case "configuration":
			s.Configuration = r.text(k, v)
		case "command":
			t.Kind, t.Value = Command, r.texts(k, v)
		default:
			t.Kind, t.Value = Kind(k), []string{r.text(k, v)}
		}
	}
	t.Name, t.Env, t.Bearer = r.text("name", m["name"]), r.texts("env", m["env"]), r.text("bearer_env", m["bearer_env"])
	if given != 1 {
		r.wrong(n, "a target has one of %s, this one has %d of them", strings.Join(sourceKeys, ", "), given)
		return
	}
	if t.Kind != "" {
		if err := t.Check(); err != nil {
			r.wrong(n, "%s", err)
		}
	} else if s.Directory+s.List+s.Registry+s.Configuration == "" {
		r.wrong(n, "the name is empty")
	}
	r.plan.Sources = append(r.plan.Sources, s)
}

func (r *reader) readLane(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: "lane", Line: n.Line, Column: n.Column}, n}}
	}
	m := r.members(n, "lane", "documents", "options")
	l := Lane{Name: LaneName(r.text("lane", m["lane"])), Documents: r.texts("documents", m["documents"])}
	allowed, known := laneOptions[l.Name]
	if !known {
		r.wrong(n, "unknown lane %q: want one of %s", l.Name, strings.Join(laneNames(), ", "))
		return
	}
	if len(l.Documents) > 0 && l.Name != Attack && l.Name != Redteam {
		r.wrong(m["documents"], "documents are for the lanes attack and redteam")
	}
	if options := m["options"]; options != nil && !yamltext.Null(options) {
		values, fault := yamltext.Members(options, allowed...)
		r.add(fault)
		for _, name := range allowed { // in the order of the table, so that one set of options has one name
			for _, v := range r.optionTexts(name, values[name]) {
				l.Options = append(l.Options, "--"+name+"="+v)
			}
		}
	}
	r.plan.Lanes = append(r.plan.Lanes, l)
}

func (r *reader) readLimits(n *yaml.Node) {
	m := r.members(n, "time", "memory", "attempts")
	if v := m["time"]; v != nil {
		d, err := time.ParseDuration(r.text("time", v))
		if err != nil || d < time.Second || d > 24*time.Hour {
			r.wrong(v, "time: want a duration from 1s to 24h")
		}
		r.plan.Limits.Time = d
	}
	if v := m["memory"]; v != nil {
		size, ok := parseSize(r.text("memory", v))
		if !ok || size < 64<<20 {
			r.wrong(v, "memory: want a size of 64MiB or more, as 512MiB or 2GiB")
		}
		r.plan.Limits.Memory = size
	}
	if v := m["attempts"]; v != nil {
		n, err := strconv.Atoi(r.text("attempts", v))
		if err != nil || n < 1 || n > 100 {
			r.wrong(v, "attempts: want a number from 1 to 100")
		}
		r.plan.Limits.Attempts = n
	}
}

var sizeForm = lazyregexp.New(`^([0-9]{1,6})(MiB|GiB)$`)

func parseSize(s string) (int, bool) {
	m := sizeForm.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	n, _ := strconv.Atoi(m[1]) // digits, by the form
	if m[2] == "GiB" {
		return n << 30, true
	}
	return n << 20, true
}

var rateForm = lazyregexp.New(`^([1-9][0-9]{0,5})/(s|m|h)$`)

func (r *reader) readRates(n *yaml.Node) map[string]Rate {
	if n == nil || yamltext.Null(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.wrong(n, "rates: want a mapping of names to rates such as 5/s or 60/m")
		return nil
	}
	out := map[string]Rate{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := strings.ToLower(r.text("rates", n.Content[i])), r.text("rates", n.Content[i+1])
		m := rateForm.FindStringSubmatch(value)
		if m == nil {
			r.wrong(n.Content[i+1], "rates: %q is no rate: want one such as 5/s, 60/m or 1000/h", value)
			continue
		}
		count, _ := strconv.Atoi(m[1]) // digits, by the form
		out[key] = Rate{count, map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[m[2]]}
	}
	return out
}
