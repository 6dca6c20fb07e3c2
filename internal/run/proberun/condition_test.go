package proberun

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/leaf/probe"
)

type orderArgs struct {
	Customer string `json:"customer" jsonschema:"the customer whose orders are searched in the SQL database"`
}

// quoted is a condition that left the quotation marks of a statement.
var quoted = regexp.MustCompile(`^[^']*' OR (\d+)\*(\d+)=(\d+) -- $`)

// selects evaluates the WHERE clause of a statement that a value was written into.
func selects(value string) bool {
	m := quoted.FindStringSubmatch(value)
	if m == nil {
		return false
	}
	var n [3]int64
	for i := range n {
		n[i], _ = strconv.ParseInt(m[i+1], 10, 64) // digits
	}
	return n[0]*n[1] == n[2]
}

// serveConditions is a server with one tool whose statement a value can leave, and three that look alike.
func serveConditions() {
	s := mcp.NewServer(&mcp.Implementation{Name: "conditions", Version: "1"}, nil)
	calls := 0
	for name, answer := range map[string]func(string) string{
		"search_orders": func(v string) string {
			if selects(v) {
				return "order 7: a lamp"
			}
			return "no orders"
		},
		"search_bound_orders":  func(string) string { return "no orders" },
		"search_echoed_orders": func(v string) string { return "no orders of " + strings.ToUpper(v[:len(v)/2]) },
		"search_other_orders": func(string) string {
			calls++
			return fmt.Sprint("page ", calls/3%2)
		},
	} {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Searches the orders of a customer in the SQL database."}, func(_ context.Context, _ *mcp.CallToolRequest, a orderArgs) (*mcp.CallToolResult, any, error) {
			return text(answer(a.Customer), nil)
		})
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{}) // the end of the conversation is its regular end
}

// A condition that answers follow proves that the value is part of the statement; an echo, one answer
// for all, and answers that change by themselves prove nothing.
func TestConditionsProveSQLInjection(t *testing.T) {
	got := probeSelf(t, "conditions", func(o *Options) { o.Classes = []probe.Class{probe.SQLInjection} })
	all := outcomes(&got.Evidence)
	proved, ok := all["search_orders.customer SQL injection"], all["search_orders.customer SQL injection"].Proof != nil
	if !ok || proved.Proof.Kind != probe.Truth {
		t.Errorf("the statement that a value can leave: %+v", all["search_orders.customer SQL injection"])
	}
	for _, name := range []string{"search_bound_orders", "search_echoed_orders", "search_other_orders"} {
		if all[name+".customer SQL injection"].Proof != nil {
			t.Errorf("%s: proved: %+v", name, all[name+".customer SQL injection"])
		}
	}
}
