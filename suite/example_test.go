package suite_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/scan"
	"gauntlet/suite"
	"gauntlet/trace"
)

const file = `
servers:
  fetcher:
    command: [fetcher]
  database:
    command: [database]
security:
  trust_boundary:
    allowed_flows:
      - {from: fetcher, to: database}
    required_sanitizers: [sanitize_text]
`

// The lines of a recording as gauntlet writes it.
const recording = `{"format":"gauntlet-trace","version":"1.0","tool":"example"}
{"seq":1,"server":"fetcher","direction":"to_server","kind":"request","id":"1","method":"tools/call","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"fetch_page\",\"arguments\":{}}}"}
{"seq":2,"server":"fetcher","direction":"to_client","kind":"response","id":"1","method":"tools/call","reply_to":1,"raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"DROP TABLE customers\"}]}}"}
{"seq":3,"server":"database","direction":"to_server","kind":"request","id":"1","method":"tools/call","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"run_query\",\"arguments\":{\"sql\":\"DROP TABLE customers\"}}}"}
`

// A suite's declaration judges a recorded conversation.
func ExampleParse() {
	s, errs := suite.Parse("suite.yaml", file)
	if len(errs) > 0 {
		fmt.Println(errs)
		return
	}
	r, err := trace.NewReader(strings.NewReader(recording), trace.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var t trace.Trace
	for {
		m, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil { // of one line: the rest can be read
			fmt.Println(err)
			continue
		}
		t.Messages = append(t.Messages, m)
	}
	report := scan.Run(&catalog.Catalog{}, scan.Options{Checks: []finding.Rule{"SEC-060"}, Recording: &scan.Recording{Trace: &t, Boundary: s.Boundary()}})
	for _, f := range report.Findings {
		fmt.Println(f.Rule, f.Severity, f.Message)
	}
	// Output: SEC-060 high tools/call fetch_page of server "fetcher" returned "DROP TABLE customers" (message 2, /result/content/0/text) and it appears in the arguments of tools/call run_query to server "database" (message 3, /params/arguments/sql); required_sanitizers: it did not pass sanitize_text
}

// What is wrong with a file is told with its place.
func ExampleParse_errors() {
	_, errs := suite.Parse("suite.yaml", "servers:\n  a: {command: [a], url: http://localhost/}\nstepz: []\n")
	for _, e := range errs {
		fmt.Printf("%s:%d:%d: %s\n", e.File, e.Line, e.Column, e.Msg)
	}
	// Output: suite.yaml:3:1: unknown key "stepz": want version, servers, security, steps, agent, trace, expect, scan
}
