package attackmcp

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
)

// A clause is one sentence of the specification's binding of MCP (§7.1), with what shows that it holds: a document,
// and what goes over the wire when it is played, byte by byte. [dialogue] has the form of steps.
type clause struct {
	section, name string
	says          string // the clause, in our words
	execution     string // of the document, as YAML
	indicators    string // of the document, as YAML; "" for none
	steps         string
	fails         string // how it does not hold, "" where it does
}

// clauses are all of them, in the order of the specification.
func clauses() (all []clause) {
	for _, part := range [][]clause{bindingClauses, serverClauses, serverListClauses, serverDispatchClauses, clientClauses, entryClauses} {
		all = append(all, part...)
	}
	return all
}

// Each clause holds over stdio and, where that is no question of time, over Streamable HTTP. docs/attack-tests.md has the
// table and is rewritten by -update.
func TestClauses(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range clauses() {
		name := c.section + "/" + c.name
		if seen[name] {
			t.Errorf("two clauses are called %s", name)
		}
		seen[name] = true
		t.Run(name+"/stdio", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.check(t, openPipes) })
		})
		if c.overHTTP() {
			t.Run(name+"/http", func(t *testing.T) { c.check(t, openHTTP) })
		}
	}
	writeClauses(t, "../../../docs/attack-tests.md", clauseTable(clauses()))
}

// check plays the clause. One that is known not to hold fails the test when it does.
func (c *clause) check(t *testing.T, open func(*testing.T, *clause) *dialogue) {
	d := open(t, c)
	err := d.playSteps(c.steps)
	switch {
	case err != nil && c.fails == "":
		t.Error(err)
	case err == nil && c.fails != "":
		t.Errorf("it holds now, and the table says that it does not: %s", c.fails)
	}
}

// overHTTP reports whether a clause is also played over HTTP: it is about a server, and the clock has no part in it.
func (c *clause) overHTTP() bool {
	return strings.Contains(c.execution, "mcp_server") && !strings.Contains(c.steps, "\nwait ") && !strings.Contains(c.steps, "\nquiet")
}

var inCells = strings.NewReplacer("|", "\\|", "\n", " ")

func clauseTable(all []clause) string {
	var b strings.Builder
	b.WriteString("| § | clause | test | over | holds |\n|---|---|---|---|---|\n")
	holding := 0
	for _, c := range all {
		over, holds := "stdio", "yes"
		if c.overHTTP() {
			over = "stdio, HTTP"
		}
		if c.fails != "" {
			holds = "**no**: " + c.fails
		} else {
			holding++
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %s |\n", c.section, inCells.Replace(c.says), c.name, over, inCells.Replace(holds))
	}
	fmt.Fprintf(&b, "\n%d of %d clauses hold.\n", holding, len(all))
	return b.String()
}

// writeClauses compares the table with the one in the page, and rewrites that with -update.
func writeClauses(t *testing.T, file, table string) {
	t.Helper()
	file = filepath.FromSlash(file)
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	marks := regexp.MustCompile(`(?s)(<!-- begin: TestClauses -->\n).*?(<!-- end -->)`)
	if !marks.Match(page) {
		t.Fatalf("%s has no marks", file)
	}
	made := marks.ReplaceAllFunc(page, func([]byte) []byte {
		return []byte("<!-- begin: TestClauses -->\n" + table + "<!-- end -->")
	})
	switch {
	case string(made) == string(page):
	case !*updateMatrix:
		t.Errorf("%s differs from the tests: run with -update and read the diff", file)
	case os.WriteFile(file, made, 0o666) != nil:
		t.Errorf("%s cannot be written", file)
	}
}
