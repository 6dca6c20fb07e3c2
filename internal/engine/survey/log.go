package survey

import (
	"slices"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// secretVariable is the name of a variable of the environment that holds a credential.
var secretVariable = lazyregexp.New(`(?i)(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)$`)

// countVariable is the name of a variable that counts the tokens of a model.
var countVariable = lazyregexp.New(`(?i)(PER|MAX|MIN|NUM)_TOKEN$`)

// loggers are what writes a line that is kept.
var loggers = map[string][]string{
	"typescript": {"console.log", "console.error", "console.warn", "console.info", "console.debug", "process.stderr.write"},
	"python":     {"print", "logging.info", "logging.debug", "logging.warning", "logging.error", "logging.getLogger().info", "logging.getLogger().debug", "logging.getLogger().warning", "logging.getLogger().error"},
	"go":         {"fmt.Println", "fmt.Printf", "log.Println", "log.Printf", "log.Print", "log/slog.Info", "log/slog.Debug"},
}

// readLogs notes credentials and whole headers of requests that are written into a log.
func (s *surveyor) readLogs() {
	for _, c := range s.g.Program().Calls {
		name, ok := s.isLogger(c)
		if !ok {
			continue
		}
		for _, a := range c.Args {
			if what := s.secretIn(a.Value, 0); what != "" {
				s.report(sink.LoggedSecret, c, name, what+" is written to the log")
				break
			}
		}
	}
}

func (s *surveyor) isLogger(c *ir.Expr) (string, bool) {
	names := s.namesOf(c, loggers[s.lang])
	i := slices.IndexFunc(names, func(n string) bool { return slices.Contains(loggers[s.lang], n) })
	return append(names, "")[max(i, 0)], i >= 0
}

// secretIn says which credential an expression shows, "" for none. What is computed from one (its length, whether it is
// set, its first characters) is none.
func (s *surveyor) secretIn(e *ir.Expr, depth int) string {
	if e == nil || depth > 6 {
		return ""
	}
	if name, _ := s.g.Variable(e, nil); isSecretVariable(name) {
		return "the environment variable " + name
	}
	switch e.Kind {
	case ir.Template, ir.Object, ir.List, ir.Other:
		for _, a := range e.Args {
			if what := s.secretIn(a.Value, depth+1); what != "" && (e.Kind != ir.Other || e.Text == "+" || e.Text == "%") {
				return what
			}
		}
	case ir.Call:
		if n, ok := s.calls(e, "JSON.stringify", "json.dumps", "util.inspect", "fmt.Sprintf"); ok && n != "" && len(e.Args) > 0 {
			return s.secretIn(e.Args[0].Value, depth+1)
		}
		if _, ok := s.calls(e, "get_http_headers"); ok { // of FastMCP, without those that it leaves out
			return "every header of a request, including its credential,"
		}
	case ir.Name:
		if d := s.g.Definition(e); d != e && d.Kind != ir.Object {
			return s.secretIn(d, depth+1)
		}
	case ir.Attr:
		if e.Text == "headers" && e.X.Is(ir.Name) && (e.X.Text == "req" || e.X.Text == "request") {
			return "every header of a request, including its credential,"
		}
	}
	return ""
}

func isSecretVariable(name string) bool {
	return secretVariable.MatchString(name) && !countVariable.MatchString(name)
}
