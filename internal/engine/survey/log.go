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
		names := s.namesOf(c, loggers[s.lang])
		i := slices.IndexFunc(names, func(n string) bool { return slices.Contains(loggers[s.lang], n) })
		if i < 0 {
			continue
		}
		for _, a := range c.Args {
			if what := s.secretIn(a.Value); what != "" {
				s.report(sink.LoggedSecret, c, names[i], what+" is written to the log")
				break
			}
		}
	}
}

// secretIn says which credential an expression shows, "" for none. What is computed from one (its length, whether it is
// set, its first characters) is none.
func (s *surveyor) secretIn(e *ir.Expr) (what string) {
	s.g.Looks(e, func(x *ir.Expr) (found, into bool) {
		_, shows := s.calls(x, "JSON.stringify", "json.dumps", "util.inspect", "fmt.Sprintf")
		_, headers := s.calls(x, "get_http_headers") // of FastMCP, without those that it leaves out
		if name, _ := s.g.Variable(x, nil); secretVariable.MatchString(name) && !countVariable.MatchString(name) {
			what = "the environment variable " + name
		} else if headers || x.Is(ir.Attr) && x.Text == "headers" && x.X.Is(ir.Name) && (x.X.Text == "req" || x.X.Text == "request") {
			what = "every header of a request, including its credential,"
		}
		return what != "", shows || x.Is(ir.Template, ir.Object, ir.List) || x.Is(ir.Name) && !s.g.Definition(x).Is(ir.Object) || x.Is(ir.Other) && (x.Text == "+" || x.Text == "%")
	})
	return what
}
