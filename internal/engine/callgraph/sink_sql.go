package callgraph

import (
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// verbs of SQL statements. Those of transactions and sessions touch no data.
var verbs = map[string]string{
	"SELECT": "read", "WITH": "read", "SHOW": "read", "EXPLAIN": "read", "DESCRIBE": "read", "DESC": "read",
	"PRAGMA": "read", "VALUES": "read", "TABLE": "read", "LIST": "read",
	"INSERT": "write", "UPDATE": "write", "DELETE": "write", "REPLACE": "write", "MERGE": "write", "UPSERT": "write",
	"CREATE": "write", "DROP": "write", "ALTER": "write", "TRUNCATE": "write", "RENAME": "write", "GRANT": "write",
	"REVOKE": "write", "COPY": "write", "LOAD": "write", "IMPORT": "write", "VACUUM": "write", "REINDEX": "write",
	"COMMENT": "write", "ATTACH": "write", "DETACH": "write", "CALL": "both", "EXEC": "both", "EXECUTE": "both", "DO": "both",
	"BEGIN": "none", "START": "none", "COMMIT": "none", "ROLLBACK": "none", "SAVEPOINT": "none", "RELEASE": "none",
	"SET": "none", "USE": "none", "RESET": "none", "ABORT": "none", "END": "none",
}

// madeReady is a statement that a server runs to be able to work, whatever it was asked.
var madeReady = lazyregexp.New(`(?i)^[\s(;]*CREATE\s[^;]*?\sIF\s+NOT\s+EXISTS\s`)

// recordStatement reads the verb of a statement. One that the caller chooses may do anything; written is how much a write says.
func (w *walker) recordStatement(e *ir.Expr, r *Row, shown string, anyone bool, written sink.Strength) bool {
	x := r.Argument("text", e)
	if x == nil {
		return false
	}
	texts := slices.DeleteFunc(w.sr.texts(x, w.f), func(t string) bool {
		head := headOf(t) // which a function may have changed, unless it begins as a statement does
		return !isConstant(t) && strings.TrimSpace(head) == "" || strings.Contains(t, madePart) && verbs[verbOf(head)] == ""
	})
	free := len(texts) == 0
	if anyone && free {
		return false // any object can have a method of that name
	}
	what := map[string]bool{"both": free}
	for _, t := range texts {
		verb := verbs[verbOf(t)]
		switch {
		case madeReady.MatchString(t):
			verb = "ready"
		case verb == "" && anyone:
			return false
		case strings.Contains(strings.ToUpper(t), "READ ONLY"):
			w.out.readOnly = true
		}
		what[verb] = true
	}
	if what["ready"] {
		w.recordSink(e, capability.DBWrite, sink.Weak, "ast_sink", shown)
	}
	if what["read"] || what["both"] {
		w.recordSink(e, capability.DBQuery, sink.Strong, "ast_sink", shown)
	}
	if what["write"] || what["both"] {
		w.recordSink(e, capability.DBWrite, written, "ast_sink", shown)
		w.out.calls[len(w.out.calls)-1].free = free
	}
	return true
}

// verbOf returns the first word of a statement, behind comments and brackets; of one that begins with WITH and goes on to change something,
// INSERT.
func verbOf(sql string) string {
	verb := strings.ToUpper(firstWord.FindStringSubmatch(sql)[1])
	if verb == "WITH" && changing.MatchString(sql) {
		return "INSERT"
	}
	return verb
}

var (
	firstWord = lazyregexp.New(`^(?:[\s(;]|--[^\n]*(?:\n|$)|/\*(?s:.*?)(?:\*/|$))*([A-Za-z]*)`)
	changing  = lazyregexp.New(`(?i)\b(insert|update|delete|merge)\b`)
)
