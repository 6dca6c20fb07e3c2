package golang

import (
	"testing"

	"gauntlet/internal/testing/langtest"
)

func FuzzAnalyse(f *testing.F) {
	langtest.Fuzz(f, "a.go", "b.go", "package main\nimport \"github.com/modelcontextprotocol/go-sdk/mcp\"\nfunc init2() { mcp.AddTool(nil, &mcp.Tool{Name: \"one\"}, F) }\n", Analyse)
}
