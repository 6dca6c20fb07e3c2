package callgraph

import "testing"

// TestProgramsTable: what is known of programs, under any letters of their names, and nothing of others.
func TestProgramsTable(t *testing.T) {
	for _, tt := range []struct {
		name                     string
		interprets, script, sql  bool
		code, danger             string
		opens, takesValue, reads bool // takesValue: of -q
	}{
		{name: "bash", interprets: true, code: "-c", takesValue: true, reads: true},
		{name: "Rscript", interprets: true, code: "-e", takesValue: true, reads: true},
		{name: "deno", interprets: true, takesValue: true, reads: true},
		{name: "node", interprets: true, script: true, code: "-e", takesValue: true, reads: true},
		{name: "psql", interprets: true, sql: true, code: "-c", danger: "--file=", takesValue: true, reads: true},
		{name: "git", danger: "--upload-pack="},
		{name: "cat", opens: true, takesValue: true},
		{name: "catalogue", takesValue: true},
	} {
		p := ProgramOf(tt.name)
		if p.Interprets != tt.interprets || p.Script != tt.script || p.SQL != tt.sql || p.Code != tt.code || p.Danger != tt.danger || p.Names != tt.opens || p.TakesValue("-q") != tt.takesValue || p.RunsInput() != tt.reads {
			t.Errorf("%s: %+v, want %+v", tt.name, p, tt)
		}
	}
}
