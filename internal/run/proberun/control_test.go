package proberun

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/leaf/probe"
)

// times multiplies what two groups of a pattern hold, "" where it does not match.
func times(pattern string) func(string) string {
	re := regexp.MustCompile(pattern)
	return func(text string) string {
		m := re.FindStringSubmatch(text)
		if m == nil {
			return "nothing"
		}
		var a, b big.Int
		a.SetString(m[1], 10)
		b.SetString(m[2], 10)
		return "it is " + a.Mul(&a, &b).String()
	}
}

// equations tells whether a product that a pattern finds in a text is what the text says.
func equations(pattern string) func(string) string {
	re := regexp.MustCompile(pattern)
	return func(text string) string {
		m := re.FindStringSubmatch(text)
		if m == nil {
			return "no equation"
		}
		var a, b, c big.Int
		a.SetString(m[1], 10)
		b.SetString(m[2], 10)
		c.SetString(m[3], 10)
		return fmt.Sprint(a.Mul(&a, &b).Cmp(&c) == 0)
	}
}

// database answers what SQL in a value has it compute where a statement may stand, by pattern, and behind that the product of all
// numbers of the value where masked is set.
func database(pattern string, masked bool) func(string) string {
	re := regexp.MustCompile(pattern)
	return func(text string) string {
		rows := "no rows"
		if m := re.FindStringSubmatch(text); m != nil {
			rows = compute(m[1])
		}
		if !masked {
			return rows
		}
		product := big.NewInt(1)
		for _, digits := range regexp.MustCompile(`\d+`).FindAllString(text, -1) {
			n, _ := new(big.Int).SetString(digits, 10)
			product.Mul(product, n)
		}
		return rows + ", product " + product.String()
	}
}

// compute evaluates "a*b" or "a*b-c".
func compute(expression string) string {
	var a, b, c int64
	if n, _ := fmt.Sscanf(expression, "%d*%d-%d", &a, &b, &c); n < 2 {
		return "no number"
	}
	return fmt.Sprint(a*b - c)
}

// marks tells something about the signs of a value of any type, as a counter of punctuation does.
func marks(text string) string { return fmt.Sprint("exclamation marks: ", strings.Count(text, "!")) }

// touchFiles creates the files of the temporary folder of which a text has the absolute path.
func touchFiles(text string) string {
	for _, path := range regexp.MustCompile(regexp.QuoteMeta(os.TempDir())+`/[\w/.-]+`).FindAllString(text, -1) {
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600); err == nil { // most are no places for one
			_ = f.Close()
		}
	}
	return "done"
}

// unreachable answers what matches, and everything else with an error that quotes it, as a server whose backend is gone does.
func unreachable(known string) func(string) string {
	answers := regexp.MustCompile(known)
	return func(text string) string {
		if answers.MatchString(text) {
			return "one row"
		}
		return fmt.Sprintf("Error: cannot ask for %q: connection refused (attempt %d)", text, len(text)%7)
	}
}

// restrictive answers what matches, and everything else with an error that quotes nothing.
func restrictive(allowed, refusal string) func(string) string {
	accepts := regexp.MustCompile(allowed)
	return func(text string) string {
		if accepts.MatchString(text) {
			return "the result for " + text
		}
		return refusal
	}
}

// limited answers some calls, and every later one with an error.
func limited(calls int) func(string) string {
	return func(text string) string {
		if calls--; calls < 0 {
			return "Error: too many requests"
		}
		return "no page is called " + text
	}
}

// lettered fails with an id for each call that has no digit.
func lettered() func(string) string {
	calls := 0
	return func(string) string {
		calls++
		return "unavailable (request " + strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(calls)) + ")"
	}
}

// sessions makes a session for every handle; one belongs to somebody.
func sessions(taken string) func(string) string {
	return func(handle string) string {
		if handle == taken {
			return "session " + handle + " of ada with 3 messages"
		}
		return "session " + handle + " is new"
	}
}

// lookalikes are pairs of tools: an honest one that computes with what it reads, and one with the fault that this
// resembles.
var lookalikes = []struct {
	name, description, parameter string
	do                           func(string) string
	class                        probe.Class
	want                         probe.Outcome // of which the type counts
}{
	{"multiply_text", "Multiplies the first two numbers of a text.", "text", times(`(\d+)\D+(\d+)`), probe.TemplateInjection, probe.Resist(1, 1, "")},
	{"spreadsheet", "Evaluates a cell over numbers.", "cell", times(`(\d+)\s*\*\s*(\d+)`), probe.NoSQLInjection, probe.Resist(1, 1, "")},
	{"render_page", "Renders a Mustache-like template with the given values.", "text", times(`\{\{(\d+)\*(\d+)\}\}`), probe.TemplateInjection, probe.ByDesign.Because("")},
	{"greet_guest", "Greets a guest by the house's template.", "guest", times(`\{\{(\d+)\*(\d+)\}\}`), probe.TemplateInjection, probe.Prove(&probe.Proof{})},
	{"find_guest", "Finds a guest in the document database.", "guest", times(`'; return (\d+)\*(\d+); //`), probe.NoSQLInjection, probe.Prove(&probe.Proof{})},
	{"check_claims", "Says whether the equation in a text holds; looks into the database of numbers.", "claims", equations(`(\d+)\*(\d+)={1,2}(\d+)`), probe.SQLInjection, probe.NotDelivered.Because("")},
	{"filter_rows", "Shows rows of the database. The rule is a small language with AND and OR.", "rule", equations(`^0 OR (\d+)\*(\d+)=(\d+)$`), probe.SQLInjection, probe.ByDesign.Because("")},
	{"rows_of_guest", "Shows the rows of a guest in the SQL database.", "guest", equations(`^0 OR (\d+)\*(\d+)=(\d+)$`), probe.SQLInjection, probe.Prove(&probe.Proof{})},
	{"find_item", "Finds an item in the database by name.", "query", database(`^x' UNION SELECT ([\d*-]+)-- $`, true), probe.SQLInjection, probe.Prove(&probe.Proof{})},
	{"find_page", "Finds a page in the database by name.", "query", database(`^$`, true), probe.SQLInjection, probe.Resist(1, 1, "")},
	{"find_sum", "Finds sums in a text; looks into the database of numbers.", "query", database(`(\d+\*\d+(?:-\d+)?)`, false), probe.SQLInjection, probe.NotDelivered.Because("")},
	{"query_rows", "Runs a SQL query against the database.", "query", database(`SELECT ([\d*-]+)`, false), probe.SQLInjection, probe.ByDesign.Because("")},
	{"search_rows", "Searches the database for words.", "query", database(`SELECT ([\d*-]+)`, false), probe.SQLInjection, probe.Prove(&probe.Proof{})},
	{"select_rows", "Runs a SQL query that has this beginning.", "query", database(`' UNION SELECT ([\d*-]+)`, false), probe.SQLInjection, probe.Prove(&probe.Proof{})},
	{"touch_files", "Creates the files that a text names.", "text", touchFiles, probe.TemplateInjection, probe.NotDelivered.Because("")},
	{"find_remote", "Finds a page in the remote database by name.", "query", unreachable(`^$`), probe.SQLInjection, probe.Inconclusive.Because("")},
	{"find_near", "Finds a page in the near database by name.", "query", unreachable(`^(test|example|SELECT 1)$`), probe.SQLInjection, probe.Resist(1, 1, "")},
	{"add_page", "Adds pages of the database, by number.", "query", restrictive(`^[\d +]+$`, "Error: only numbers"), probe.SQLInjection, probe.Resist(1, 1, "")},
	{"multiply_page", "Multiplies pages of the database, by number.", "query", restrictive(`^$`, "Error: only numbers"), probe.SQLInjection, probe.NotDelivered.Because("")},
	{"find_limited", "Finds a page in the limited database by name.", "query", limited(4), probe.SQLInjection, probe.Inconclusive.Because("")},
	{"find_unlimited", "Finds a page in the open database by name.", "query", limited(5_000), probe.SQLInjection, probe.Resist(1, 1, "")},
	{"find_lettered", "Finds a page in the lettered database by name.", "query", lettered(), probe.SQLInjection, probe.Inconclusive.Because("")},
	{"open_session", "Opens a session.", "session_id", sessions("ada-8f3a"), probe.GuessedHandle, probe.Resist(1, 1, "")},
	{"open_thread", "Opens a thread.", "thread_id", sessions("1001"), probe.GuessedHandle, probe.NotDelivered.Because("")},
	{"count_marks", "Counts the exclamation marks of a text.", "text", marks, probe.NoSQLInjection, probe.NotDelivered.Because("")},
}

// serveLookalikes takes arguments of any type, as many servers do.
func serveLookalikes() {
	s := mcp.NewServer(&mcp.Implementation{Name: "lookalikes", Version: "1"}, nil)
	for _, l := range lookalikes {
		schema := json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string"}},"required":[%q]}`, l.parameter, l.parameter))
		s.AddTool(&mcp.Tool{Name: l.name, Description: l.description, InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var arguments map[string]json.RawMessage
			var value string
			if json.Unmarshal(r.Params.Arguments, &arguments) != nil || json.Unmarshal(arguments[l.parameter], &value) != nil {
				value = string(arguments[l.parameter])
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: l.do(value)}}}, nil
		})
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{}) // the end of the conversation is its regular end
}

// A proof needs a control: what a tool does with the same text without the syntax, or by its own word, proves nothing.
func TestAProofHasAControl(t *testing.T) {
	got := probeSelf(t, "lookalikes", func(o *Options) {
		o.Classes = []probe.Class{probe.TemplateInjection, probe.SQLInjection, probe.NoSQLInjection, probe.GuessedHandle}
	})
	for _, l := range lookalikes {
		wanted := l.want.Ending
		seen := map[probe.Class]probe.Ending{}
		for _, trial := range got.Evidence.Trials {
			if trial.Tool == l.name {
				seen[trial.Class] = trial.Ending
				if p := trial.Proof; p != nil && wanted != probe.Proved {
					t.Errorf("%s: %s proved: %s %s", l.name, trial.Class, p.Observed, p.Arguments)
				}
			}
		}
		if seen[l.class] != wanted {
			t.Errorf("%s, %s: %s, want %s", l.name, l.class, seen[l.class], wanted)
		}
	}
}
