package proberun

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
)

// Role returns a parameter's role by the classifier, Text if unknown.
func (t *tool) Role(path string) capability.RoleLabel {
	for _, at := range []string{path, strings.TrimSuffix(path, "[]")} {
		if r, ok := t.Labels.Roles[at]; ok {
			return r
		}
	}
	return capability.RoleLabel{Role: capability.Text, Confidence: capability.Low}
}

// A rule says that some roles, for tools with some tags, ask for a class.
type rule struct {
	class    probe.Class
	roles    []capability.Role // empty: any
	tags     []capability.Tag  // empty: any tool
	variants []variant
	fits     func(*tool) bool // nil: any tool
}

// newPlan plans the trials for tools, those that labels of at least a confidence ask for first; wide adds trials that no label asks for.
// none are the classes that nothing asks for.
func newPlan(tools []*tool, floor capability.Confidence, wide bool) (targets []*target, none []probe.Class) {
	var widened []*target
	asked := map[probe.Class]bool{probe.ErrorLeak: true}
	for _, t := range tools {
		for _, p := range t.Schema.Parameters() {
			if p.Type != "string" && p.Type != "" {
				continue
			}
			mine := plannedFor(t, p, floor)
			for _, m := range mine {
				asked[m.Class] = asked[m.Class] || m.Planned
			}
			targets = append(targets, mine...)
			if wide {
				widened = append(widened, widenedFor(t, p, mine)...)
			}
		}
	}
	slices.SortStableFunc(widened, func(a, b *target) int { return wideRank(a) - wideRank(b) })
	return append(targets, widened...), slices.DeleteFunc(probe.Classes(), func(c probe.Class) bool { return asked[c] })
}

// plannedFor returns the trials that labels and role ask for.
func plannedFor(t *tool, p schemafill.Parameter, floor capability.Confidence) (out []*target) {
	if len(p.Enum) > 0 {
		return nil // unlisted values test validation, not the tool's code
	}
	role := t.Role(p.Path)
	for _, r := range payloads.asked {
		label, fits := r.isFor(t, floor)
		if !fits || !slices.Contains(r.roles, role.Role) || role.Role != capability.Text && !role.Confidence.AtLeast(floor) {
			continue
		}
		basis := fmt.Sprintf("role %s (%s)", role.Role, role.Confidence)
		if r.tags != nil {
			basis = fmt.Sprintf("label %s (%s), %s", label.Tag, label.Confidence, basis)
		}
		out = append(out, &target{tool: t, Parameter: p, Class: r.class, Role: role.Role, Basis: basis, Planned: !t.SideDoor, variants: r.variants})
	}
	return out
}

// isFor returns the label by which a rule is for a tool, and whether it is for it at all.
func (r *rule) isFor(t *tool, floor capability.Confidence) (label capability.Label, fits bool) {
	if r.fits != nil && !r.fits(t) {
		return label, false
	}
	for _, l := range t.Labels.Capabilities {
		if slices.Contains(r.tags, l.Tag) && l.Confidence.AtLeast(floor) {
			return l, true
		}
	}
	return label, r.tags == nil
}

// widenedFor returns the trials on a parameter that nothing asks for.
func widenedFor(t *tool, p schemafill.Parameter, planned []*target) (out []*target) {
	role := t.Role(p.Path).Role
	for _, r := range payloads.wide {
		if slices.ContainsFunc(planned, func(m *target) bool { return m.Class == r.class }) {
			continue
		}
		if _, fits := r.isFor(t, capability.Medium); !fits || r.class == probe.ArgumentInjection && role == capability.Command {
			continue // a caller who sends a whole command line sends its options anyway
		}
		out = append(out, &target{tool: t, Parameter: p, Class: r.class, Role: role, Basis: "any text", variants: r.variants})
	}
	return out
}

// wideRank orders such trials by how likely they are to show something.
func wideRank(t *target) int {
	rank := slices.IndexFunc(payloads.wide, func(r rule) bool { return r.class == t.Class }) * 2
	if !t.Parameter.Required {
		rank++
	}
	if len(t.Parameter.Enum) > 0 {
		rank += 40
	}
	return rank
}
