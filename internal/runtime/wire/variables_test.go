package wire

import (
	"slices"
	"strings"
	"testing"
)

func TestNamedVariables(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"Error: FIGMA_API_KEY is required", []string{"FIGMA_API_KEY"}},
		{"AIRTABLE_API_KEY environment variable not set", []string{"AIRTABLE_API_KEY"}},
		{"KeyError: 'DATABASE_URL'\nset DATABASE_URL and GITHUB_TOKEN", []string{"DATABASE_URL", "GITHUB_TOKEN"}},
		{"ERR_MODULE_NOT_FOUND", nil},
		{"ERR_INVALID_URL, NODE_PATH, NPM_TOKEN", nil},
		{"SSL: CERTIFICATE_VERIFY_FAILED", nil},
		{"the TOKEN is missing", nil}, // too often an ordinary word
		{strings.Repeat("A", 80) + "_KEY", nil},
	} {
		if got := NamedVariables(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("NamedVariables(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestEndErrorNamesTheNextStep(t *testing.T) {
	end := func(change func(*EndError)) string {
		e := EndError{How: "exited with status 1", Before: "initialize", Missing: []string{"A_KEY", "B_URL"}}
		change(&e)
		return e.Error()
	}
	const begin = "the server exited with status 1 before answering "
	const none = "initialize; servers inherit none of your environment variables but HOME, PATH and the like: "
	for _, tt := range []struct {
		name, got, want string
	}{
		{"by a flag", end(func(*EndError) {}), begin + none + "pass on yours with --env A_KEY --env B_URL"},
		{"elsewhere", end(func(e *EndError) { e.SetBy = "the env of its entry in mcp.json" }), begin + none + "set A_KEY, B_URL in the env of its entry in mcp.json"},
		{"in the middle of a conversation", end(func(e *EndError) { e.Before = "tools/call" }), begin + "tools/call"},
		{"without a name", end(func(e *EndError) { e.Missing = nil }), begin + "initialize"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}
