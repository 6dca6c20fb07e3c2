package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/runtime/wire"
	"gauntlet/internal/testing/peertest"
	"gauntlet/rawjson"
)

// conformanceScenarios are those for clients that need no OAuth, in every revision that has
// them. What is expected to fail stands, with its reason, in the file below.
var conformanceScenarios = []struct{ name, version string }{
	{"initialize", "2025-06-18"},
	{"initialize", "2025-11-25"},
	{"tools_call", "2025-06-18"},
	{"tools_call", "2025-11-25"},
	{"tools_call", "2026-07-28"},
	{"elicitation-sep1034-client-defaults", "2025-11-25"},
	{"sse-retry", "2025-11-25"},
	{"json-schema-2020-12-preservation", "2025-11-25"},
	{"json-schema-2020-12-preservation", "2026-07-28"},
	{"json-schema-ref-no-deref", "2026-07-28"},
	{"request-metadata", "2026-07-28"},
	{"http-standard-headers", "2026-07-28"},
	{"http-custom-headers", "2026-07-28"},
	{"http-invalid-tool-headers", "2026-07-28"},
	{"sep-2322-client-request-state", "2026-07-28"},
}

const expectedFailures = "testdata/conformance-expected-failures.yaml"

func TestConformance(t *testing.T) {
	suite := peertest.Conformance(t)
	for _, tt := range conformanceScenarios {
		t.Run(tt.name+" "+tt.version, func(t *testing.T) {
			suite.Run(t, []string{envServer + "=conformance", "GOCOVERDIR=" + t.TempDir()}, "client", "--command", os.Args[0],
				"--scenario", tt.name, "--spec-version", tt.version, "--timeout", "20000", "--expected-failures", expectedFailures)
		})
	}
}

// conform is the client under test: what a scan does, and then the calls that a scenario
// asks for, which are Session.Call. It decides nothing about the protocol itself.
func conform(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	h, err := wire.Dial(wire.Endpoint{URL: url})
	if err != nil {
		return err
	}
	defer h.Close()
	opt := Options{Version: "1", Timeout: 10 * time.Second}
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	if scenario == "sep-2322-client-request-state" {
		opt.Capabilities = `{"elicitation":{}}`
		opt.Answer = func(string, string) (string, bool) { return `{"action":"accept","content":{"confirmed":true}}`, true }
	}
	s, err := Open(ctx, h, opt)
	if err != nil {
		return err
	}
	snap := s.Read(ctx)
	for _, gap := range snap.Errors {
		fmt.Fprintln(os.Stderr, gap.Method, gap.Message)
	}
	var failed []error
	for _, call := range conformanceCalls(scenario, snap) {
		if _, err := s.Call(ctx, call.method, call.params); err != nil {
			failed = append(failed, err)
		}
	}
	if scenario == "http-invalid-tool-headers" {
		return nil // most of those tools must be refused
	}
	return errors.Join(failed...)
}

type conformanceCall struct{ method, params string }

// conformanceCalls are what the scenarios want to see called beside the lists.
func conformanceCalls(scenario string, snap *Snapshot) (out []conformanceCall) {
	tool := func(name, arguments string) {
		out = append(out, conformanceCall{"tools/call", `{"name":` + rawjson.Quote(name) + `,"arguments":` + arguments + `}`})
	}
	switch scenario {
	case "tools_call":
		tool("add_numbers", `{"a":5,"b":3}`)
	case "sse-retry":
		tool("test_reconnection", `{}`)
	case "json-schema-2020-12-preservation":
		tool("json_schema_echo", `{"schema":`+schemaOf(snap, "json_schema_2020_12_tool")+`}`)
	case "http-custom-headers":
		var given struct {
			ToolCalls []struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		_ = json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &given)
		for _, c := range given.ToolCalls {
			tool(c.Name, string(c.Arguments))
		}
	case "sep-2322-client-request-state":
		for _, name := range []string{"test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state", "test_mrtr_no_result_type"} {
			tool(name, `{}`)
		}
	case "http-standard-headers", "http-invalid-tool-headers":
		for _, raw := range snap.Lists[0].Items {
			tool(nameOf(raw), `{"region":"eu","value":"v"}`)
		}
		for _, raw := range snap.Lists[1].Items {
			out = append(out, conformanceCall{"prompts/get", `{"name":` + rawjson.LastMember(raw, "name") + `}`})
		}
		for _, raw := range snap.Lists[2].Items {
			out = append(out, conformanceCall{"resources/read", `{"uri":` + rawjson.LastMember(raw, "uri") + `}`})
		}
	}
	return out
}

func nameOf(raw string) string {
	var v struct{ Name string }
	_ = json.Unmarshal([]byte(raw), &v)
	return v.Name
}

func schemaOf(snap *Snapshot, tool string) string {
	for _, raw := range snap.Lists[0].Items {
		if nameOf(raw) == tool {
			return rawjson.LastMember(raw, "inputSchema")
		}
	}
	return "null"
}

// Every entry of the file is a scenario of the table, so that none outlives its reason.
func TestExpectedFailuresAreScenarios(t *testing.T) {
	text, err := os.ReadFile(expectedFailures)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, ":")
		known := false
		for _, s := range conformanceScenarios {
			known = known || s.name == strings.TrimSpace(name)
		}
		if !known {
			t.Errorf("%s names %q, which is no scenario that runs", expectedFailures, name)
		}
	}
}
