package typescript

import (
	"testing"

	"gauntlet/internal/testing/langtest"
)

func FuzzAnalyse(f *testing.F) {
	langtest.Fuzz(f, "src/a.ts", "src/b.ts", "import * as a from './a';\nimport { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nnew McpServer({}).tool('one', {}, async (x) => a.f(x));\n", Analyse)
}

func FuzzCompiled(f *testing.F) {
	langtest.Fuzz(f, "a.js", "b.js", "const a = require('./a');\nconst { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');\nnew McpServer({}).tool('one', {}, (x) => a.f(x));\n", Analyse)
}
