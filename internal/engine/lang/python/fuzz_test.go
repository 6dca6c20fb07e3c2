package python

import (
	"testing"

	"gauntlet/internal/testing/langtest"
)

func FuzzAnalyse(f *testing.F) {
	langtest.Fuzz(f, "srv/a.py", "srv/b.py", "from mcp.server.fastmcp import FastMCP\nfrom .a import *\nfrom . import a\nm = FastMCP('x')\n@m.tool()\ndef one(x):\n    return a.f(x)\n", Analyse)
}
