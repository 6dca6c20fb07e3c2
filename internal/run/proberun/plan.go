package proberun

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
)

// A Tool is what planning needs to know of one tool.
type Tool struct {
	Name   string
	Schema *schemafill.Schema
	Labels capability.Tool
	// ReadOnly says that the tool is annotated as read-only, Destructive that it may be destructive.
	ReadOnly, Destructive bool
	// SideDoor says that nothing is planned for it: as far as can be told, it rejects unlisted values before any of the server's
	// code runs.
	SideDoor bool
}

// Role returns a parameter's role by the classifier, Text if unknown.
func (t *Tool) Role(path string) capability.RoleLabel {
	for _, at := range []string{path, strings.TrimSuffix(path, "[]")} {
		if r, ok := t.Labels.Roles[at]; ok {
			return r
		}
	}
	return capability.RoleLabel{Role: capability.Text, Confidence: capability.Low}
}

// has reports whether a tool has one of the tags at floor or above.
func (t *Tool) has(floor capability.Confidence, tags ...capability.Tag) (capability.Label, bool) {
	for _, l := range t.Labels.Capabilities {
		if slices.Contains(tags, l.Tag) && l.Confidence.AtLeast(floor) {
			return l, true
		}
	}
	return capability.Label{}, false
}

// A Target is one class to try on one parameter.
type Target struct {
	Tool      int // index in the list of tools
	Parameter schemafill.Parameter
	Class     probe.Class
	Role      capability.Role
	Basis     string
	Planned   bool
	variants  []variant
}

type planOptions struct {
	// Floor is the minimum confidence of labels and roles; capability.Medium unless low ones are requested.
	Floor capability.Confidence
	// Wide adds trials that no label asks for.
	Wide bool
	// Allow selects tools; nil allows all.
	Allow func(*Tool) bool
}

// A rule says that some roles, for tools with some tags, ask for a class.
type rule struct {
	class    probe.Class
	roles    []capability.Role // empty: any
	tags     []capability.Tag  // empty: any tool
	variants []variant
	fits     func(*Tool) bool // nil: any tool
}

// newPlan plans the trials for a server's tools, those that labels ask for first. none are the classes that nothing asks for.
func newPlan(tools []Tool, opt planOptions) (targets []Target, none []probe.Class) {
	var planned, widened []Target
	asked := map[probe.Class]bool{}
	for i := range tools {
		t := &tools[i]
		if opt.Allow != nil && !opt.Allow(t) {
			continue
		}
		for _, p := range t.Schema.Parameters() {
			if p.Type != "string" && p.Type != "" {
				continue
			}
			mine := plannedFor(i, t, p, opt.Floor)
			for k := range mine {
				mine[k].Planned = !t.SideDoor
				asked[mine[k].Class] = asked[mine[k].Class] || !t.SideDoor
			}
			planned = append(planned, mine...)
			if opt.Wide {
				widened = append(widened, widenedFor(i, t, p, mine)...)
			}
		}
	}
	for _, c := range probe.Classes() {
		if !asked[c] && c != probe.ErrorLeak {
			none = append(none, c)
		}
	}
	slices.SortStableFunc(widened, func(a, b Target) int { return wideRank(&a) - wideRank(&b) })
	return append(planned, widened...), none
}

// plannedFor returns the trials that labels and role ask for.
func plannedFor(i int, t *Tool, p schemafill.Parameter, floor capability.Confidence) []Target {
	if len(p.Enum) > 0 {
		return nil // unlisted values test validation, not the tool's code
	}
	role := t.Role(p.Path)
	var out []Target
	for _, r := range payloads.asked {
		if !slices.Contains(r.roles, role.Role) || role.Role != capability.Text && !role.Confidence.AtLeast(floor) || r.fits != nil && !r.fits(t) {
			continue
		}
		basis := fmt.Sprintf("role %s (%s)", role.Role, role.Confidence)
		if r.tags != nil {
			label, ok := t.has(floor, r.tags...)
			if !ok {
				continue
			}
			basis = fmt.Sprintf("label %s (%s), %s", label.Tag, label.Confidence, basis)
		}
		out = append(out, Target{Tool: i, Parameter: p, Class: r.class, Role: role.Role, Basis: basis, Planned: true, variants: r.variants})
	}
	return out
}

// widenedFor returns the trials on a parameter that nothing asks for.
func widenedFor(i int, t *Tool, p schemafill.Parameter, planned []Target) []Target {
	role := t.Role(p.Path).Role
	var out []Target
	for _, r := range payloads.wide {
		if slices.ContainsFunc(planned, func(m Target) bool { return m.Class == r.class }) {
			continue
		}
		if _, fits := t.has(capability.Medium, r.tags...); r.tags != nil && !fits || r.fits != nil && !r.fits(t) {
			continue
		}
		if r.class == probe.ArgumentInjection && role == capability.Command {
			continue // a caller who sends a whole command line sends its options anyway
		}
		out = append(out, Target{Tool: i, Parameter: p, Class: r.class, Role: role, Basis: "any text", variants: r.variants})
	}
	return out
}

// wideRank orders such trials by how likely they are to show something.
func wideRank(t *Target) int {
	rank := slices.IndexFunc(payloads.wide, func(r rule) bool { return r.class == t.Class }) * 2
	if !t.Parameter.Required {
		rank++
	}
	if len(t.Parameter.Enum) > 0 {
		rank += 40
	}
	return rank
}
