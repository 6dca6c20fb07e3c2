package survey

import (
	"strconv"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// readConditions notes work that is done on some days, on some machines or for some clients alone.
func (s *surveyor) readConditions() {
	fits := s.filesWith("hostname", "Hostname", "getuser", "userInfo", "getlogin", "platform.node", "getClientVersion", "clientInfo", "client_info", "new Date(", "Date.now", "datetime", "time.time", "time.Now")
	for _, body := range s.g.Program().Bodies() {
		ir.EachStmt(body, func(st *ir.Stmt) {
			if st.Step != ir.Branch || st.Cond == nil || !fits[st.Cond.Scope.File] {
				return
			}
			why := s.conditionOn(st.Cond)
			if why == "" {
				return
			}
			for _, a := range st.Arms {
				if s.acts(a.Body, 0) {
					s.report(sink.Conditional, st.Cond, "condition", "what it writes, sends or runs depends on "+why+": it can behave differently where it is tested")
					return
				}
			}
		})
	}
}

// conditionOn says on what a condition depends that tells one machine, day or client from others, "" for none of them.
func (s *surveyor) conditionOn(cond *ir.Expr) (why string) {
	cond.Holds(func(e *ir.Expr) bool {
		if e.Kind != ir.Other && e.Kind != ir.Call || len(e.Args) == 0 {
			return false
		}
		var parts []*ir.Expr
		switch e.Text {
		case "==", "===", "!=", "!==", "in", "<", ">", "<=", ">=":
			for _, a := range e.Args {
				parts = append(parts, a.Value)
			}
		default:
			if e.Kind != ir.Call || e.X == nil || e.X.Kind != ir.Attr || e.X.Text != "includes" && e.X.Text != "startsWith" && e.X.Text != "startswith" {
				return false
			}
			parts = []*ir.Expr{e.X.X, e.Args[0].Value}
		}
		if len(parts) != 2 || parts[0] == nil || parts[1] == nil {
			return false
		}
		for i := range parts {
			one, other := parts[i], parts[1-i]
			switch {
			case s.finds(one, isMachine) && s.isText(other):
				why = "the name of the machine or of its user"
			case s.finds(one, isClientName) && s.isText(other):
				why = "the name of the client"
			case e.Text != "==" && e.Text != "===" && s.finds(one, isNow) && s.isDay(other):
				why = "the date"
			}
		}
		return why != ""
	})
	return why
}

// isText reports whether the source fixes a text.
func (s *surveyor) isText(e *ir.Expr) bool {
	text, ok := s.g.Constant(e, callgraph.Context{})
	return ok && text != ""
}

// machineNames are functions that say which machine this is, or whose.
var machineNames = map[string]bool{"hostname": true, "gethostname": true, "getuser": true, "getlogin": true, "userInfo": true, "Hostname": true, "getfqdn": true}

func isMachine(e *ir.Expr) verdict {
	if e.Kind == ir.Call && e.X != nil && (machineNames[e.X.Text] || e.X.Text == "node" && e.X.X != nil && e.X.X.Text == "platform") {
		return yes
	}
	return goOn
}

func isClientName(e *ir.Expr) verdict {
	if e.Kind == ir.Attr && e.Text == "name" && e.X.Holds(func(x *ir.Expr) bool {
		return x.Text == "getClientVersion" || x.Text == "clientInfo" || x.Text == "client_info"
	}) {
		return yes
	}
	return goOn
}

// clocks are functions that tell the time, by their last word and what they belong to.
var clocks = map[string]map[string]bool{
	"now": {"Date": true, "datetime": true}, "utcnow": {"datetime": true}, "today": {"date": true, "datetime": true}, "time": {"time": true}, "Now": {"time": true},
}

func isNow(e *ir.Expr) verdict {
	switch {
	case e.Kind == ir.New && e.X != nil && e.X.Text == "Date" && len(e.Args) == 0:
		return yes
	case e.Kind == ir.Call && e.X != nil && e.X.Kind == ir.Attr && e.X.X != nil && clocks[e.X.Text][e.X.X.Text]:
		return yes
	case e.Kind == ir.Other && e.Text == "-": // how long ago something was
		return leave
	}
	return goOn
}

// day is a date as sources write them.
var day = lazyregexp.New(`^(19|20)\d\d-\d\d?-\d\d?`)

// firstSecond is a time in seconds that lies in 2020, so that a number beyond it is a date and no distance.
const firstSecond = 1_577_836_800

// isDay reports whether an expression is a day that the source fixes.
func (s *surveyor) isDay(e *ir.Expr) bool {
	e = s.g.Definition(e)
	switch e.Kind {
	case ir.Literal:
		n, err := strconv.ParseFloat(e.Text, 64)
		return err == nil && n > firstSecond
	case ir.String:
		return day.MatchString(e.Text)
	case ir.New, ir.Call: // new Date("2026-01-01").getTime(), new Date("2026-01-01"), Date.parse(…), datetime(2026, 1, 1)
		if e.X != nil && e.X.Kind == ir.Attr && len(e.Args) == 0 {
			return e.X.X != nil && e.X.X.Kind != ir.Name && s.isDay(e.X.X)
		}
		if e.X == nil || len(e.Args) == 0 || e.Args[0].Value == nil {
			return false
		}
		switch e.X.Text {
		case "Date", "parse", "fromisoformat", "strptime":
			return day.MatchString(e.Args[0].Value.Text)
		case "datetime", "date":
			n, err := strconv.Atoi(e.Args[0].Value.Text)
			return err == nil && n > 2000 && len(e.Args) > 2
		}
	}
	return false
}

// acts reports whether a body, or a function that it calls, writes, sends or runs something.
func (s *surveyor) acts(body []ir.Stmt, depth int) bool {
	found := false
	ir.EachExpr(body, func(e *ir.Expr) {
		found = found || e.Holds(func(x *ir.Expr) bool {
			if x.Kind != ir.Call && x.Kind != ir.New {
				return false
			}
			if s.hasConsequences(x) {
				return true
			}
			if depth > 0 {
				return false
			}
			for _, callee := range s.g.Callees(x, callgraph.Context{}) {
				if callee.Func != nil && !callee.Guess && s.acts(callee.Func.Body, depth+1) {
					return true
				}
			}
			return false
		})
	})
	return found
}
