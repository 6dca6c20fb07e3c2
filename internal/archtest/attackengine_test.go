package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gauntlet/oatf"
)

// The engine of attack documents names no protocol: what it knows of one it has from a binding.
func TestAttackEngineKnowsNoProtocol(t *testing.T) {
	dir := filepath.Join("..", "runtime", "attack")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		checked++
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if name := protocolIn(text); err == nil && name != "" {
				t.Errorf("%s names the protocol %s: %s", e.Name(), name, lit.Value)
			}
			return true
		})
	}
	if checked < 10 {
		t.Errorf("only %d files were read", checked)
	}
}

// protocolIn returns the protocol that a text names, as such or in a mode or a method.
func protocolIn(text string) string {
	for _, p := range oatf.KnownProtocols() {
		for _, mode := range []string{"", "_server", "_client"} {
			if text == p+mode {
				return p
			}
		}
	}
	for prefix, p := range map[string]string{"tools/": "mcp", "notifications/": "mcp", "sampling/": "mcp", "message/": "a2a", "agent_card": "a2a", "run_agent": "ag_ui", "tool_call": "ag_ui"} {
		if strings.HasPrefix(text, prefix) {
			return p
		}
	}
	return ""
}
