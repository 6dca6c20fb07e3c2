package callgraph

import "gauntlet/internal/leaf/ir"

const (
	// maxLabels is how many names are taken from the branches of one dispatcher. Those that the
	// server lists, or the source declares, are read whatever their number.
	maxLabels = 20_000
	// maxLabelDepth is how many branches may stand around one that compares the name.
	maxLabelDepth = 4
)

// labels collects the constants that a dispatcher itself compares the name with.
type labels struct {
	rg   *registrar
	seen map[seenArms]bool
	out  []string
}

// seenArms are the arms of a branch, which may stand in several bodies, at a depth.
type seenArms struct {
	first *ir.Arm
	depth int
}

func (rg *registrar) branchLabels(body []ir.Stmt) []string {
	l := &labels{rg: rg, seen: map[seenArms]bool{}}
	l.collectLabels(body, 0)
	return l.out
}

func (l *labels) collectLabels(body []ir.Stmt, depth int) {
	for i := range body {
		s := &body[i]
		if s.Step != ir.Branch || depth > maxLabelDepth || len(l.out) >= maxLabels {
			continue
		}
		if len(s.Arms) > 0 {
			k := seenArms{&s.Arms[0], depth}
			if l.seen[k] {
				continue
			}
			l.seen[k] = true
		}
		isName := s.X != nil && (s.X.Text == "name" || s.X.Text == "tool_name" || s.X.Text == "toolName")
		for _, arm := range s.Arms {
			if isName {
				l.addLabels(arm.Values)
			}
			l.collectLabels(arm.Body, depth+1)
		}
		l.collectLabels(s.Rest, depth) // else-if is no deeper, however long the row
	}
}

func (l *labels) addLabels(xs []*ir.Expr) {
	for _, x := range xs {
		for _, v := range l.rg.evaluate(x, nil) {
			if v.kind == constant && isToolName(v.text) {
				l.out = append(l.out, v.text)
			}
		}
	}
}
