package survey

import (
	"slices"
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
		ir.EachCondition(body, func(st *ir.Stmt) {
			if !fits[st.Cond.Scope.File] {
				return
			}
			if why := s.conditionOn(st.Cond); why != "" && slices.ContainsFunc(st.Arms, func(a ir.Arm) bool { return s.g.Reaches(a.Body, 1, s.hasConsequences) }) {
				s.report(sink.Conditional, st.Cond, "condition", "what it writes, sends or runs depends on "+why+": it can behave differently where it is tested")
			}
		})
	}
}

// compares are operators and methods that compare one thing with another.
var compares = callgraph.Names("== === != !== in < > <= >= includes startsWith startswith")

// conditionOn says on what a condition depends that tells one machine, day or client from others, "" for none of them.
func (s *surveyor) conditionOn(cond *ir.Expr) (why string) {
	cond.Holds(func(e *ir.Expr) bool {
		parts := [2]*ir.Expr{e.Arg(0), e.Arg(1)}
		if compares[e.Calls()] && e.X.Kind == ir.Attr {
			parts = [2]*ir.Expr{e.X.X, e.Arg(0)}
		} else if e.Kind != ir.Other || !compares[e.Text] || len(e.Args) != 2 {
			return false
		}
		for i := range parts {
			one, other := parts[i], parts[1-i]
			switch {
			case one == nil || other == nil:
			case s.g.Finds(one, isMachine) && s.isText(other):
				why = "the name of the machine or of its user"
			case s.g.Finds(one, isClientName) && s.isText(other):
				why = "the name of the client"
			case e.Text != "==" && e.Text != "===" && s.g.Looks(one, isNow) && s.isDay(other):
				why = "the date"
			}
		}
		return why != ""
	})
	return why
}

func (s *surveyor) isText(e *ir.Expr) bool {
	text, ok := s.g.Constant(e, nil)
	return ok && text != ""
}

// machineNames are functions that say which machine this is, or whose.
var machineNames = callgraph.Names("hostname gethostname getuser getlogin userInfo Hostname getfqdn")

func isMachine(e *ir.Expr) bool {
	return machineNames[e.Calls()] || e.Calls() == "node" && e.X.X != nil && e.X.X.Text == "platform"
}

func isClientName(e *ir.Expr) bool {
	return e.Kind == ir.Attr && e.Text == "name" && e.X.Holds(func(x *ir.Expr) bool {
		return x.Text == "getClientVersion" || x.Text == "clientInfo" || x.Text == "client_info"
	})
}

// clocks are functions that tell the time, by their last word and what they belong to.
var clocks = map[string]map[string]bool{
	"now": {"Date": true, "datetime": true}, "utcnow": {"datetime": true}, "today": {"date": true, "datetime": true}, "time": {"time": true}, "Now": {"time": true},
}

func isNow(e *ir.Expr) (found, into bool) {
	switch {
	case e.Kind == ir.Other && e.Text == "-": // how long ago something was
		return false, false
	case e.Kind == ir.New:
		return e.Calls() == "Date" && len(e.Args) == 0, true
	}
	return e.Kind == ir.Call && e.X.Is(ir.Attr) && e.X.X != nil && clocks[e.X.Text][e.X.X.Text], true
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
