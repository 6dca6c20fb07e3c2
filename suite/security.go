package suite

import (
	"go.yaml.in/yaml/v4"

	"gauntlet/trust"
)

func (r *reader) security(n *yaml.Node) {
	m := r.Members(n, "trust_boundary", "capability_negotiation")
	if t := m["trust_boundary"]; t != nil {
		r.suite.Security.Trust = r.trust(t)
	}
	if c := m["capability_negotiation"]; c != nil {
		r.suite.Security.Negotiation = r.negotiation(c)
	}
}

func (r *reader) trust(n *yaml.Node) *Trust {
	t := &Trust{}
	m := r.Members(n, "allowed_flows", "required_sanitizers", "limits")
	r.Each("allowed_flows", m["allowed_flows"], func(n *yaml.Node) {
		f := r.Members(n, "from", "to")
		for _, k := range []string{"from", "to"} {
			if f != nil && f[k] == nil {
				r.Wrong(n, "a flow has no %s", k)
			}
		}
		t.Flows = append(t.Flows, trust.Flow{From: r.readIdentifier("from", f["from"]), To: r.readIdentifier("to", f["to"])})
	})
	t.Sanitizers = r.nameList("required_sanitizers", m["required_sanitizers"])
	l := r.Members(m["limits"], "min_length", "common_part", "producers", "findings")
	t.Limits = trust.Limits{
		MinLength:  r.number("min_length", l["min_length"], 4, 1_000_000),
		CommonPart: r.number("common_part", l["common_part"], 48, 1_000_000),
		Producers:  r.number("producers", l["producers"], 1, 1_000),
		Findings:   r.number("findings", l["findings"], 1, 1_000_000),
	}
	return t
}

func (r *reader) negotiation(n *yaml.Node) *trust.Negotiation {
	m := r.Members(n, "target", "negotiated")
	c := &trust.Negotiation{Target: r.readIdentifier("target", m["target"]), Negotiated: r.nameList("negotiated", m["negotiated"])}
	c.Declared = m["negotiated"] != nil
	if t := c.Target.Text; t != "" && !revisionForm(t) {
		r.Wrong(m["target"], "target: %.40q is no revision: want one such as 2026-07-28", t)
	}
	return c
}

// revisionForm reports whether s looks like an MCP revision: a date.
func revisionForm(s string) bool {
	if len(s) != len("2026-07-28") {
		return false
	}
	for i := range len(s) {
		if dash := i == 4 || i == 7; dash != (s[i] == '-') || !dash && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}

func (r *reader) readIdentifier(key string, n *yaml.Node) trust.Name {
	if n == nil {
		return trust.Name{}
	}
	return trust.Name{Text: r.textAt(key, n), Line: n.Line, Column: n.Column}
}

// nameList reads a list of unique names.
func (r *reader) nameList(key string, n *yaml.Node) []trust.Name {
	var out []trust.Name
	seen := map[string]bool{}
	r.Each(key, n, func(e *yaml.Node) {
		name := r.readIdentifier(key, e)
		if seen[name.Text] {
			r.Wrong(e, "%s: %.60q stands twice", key, name.Text)
		}
		seen[name.Text] = true
		out = append(out, name)
	})
	return out
}
