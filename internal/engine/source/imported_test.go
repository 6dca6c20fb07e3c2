package source

import (
	"slices"
	"testing"

	"gauntlet/sink"
)

// What a module takes from another one of the program is what is written there.
func TestImportedSettings(t *testing.T) {
	app := `from fastapi.middleware.cors import CORSMiddleware
from fastmcp import FastMCP
from settings import ORIGINS

mcp = FastMCP("m")

@mcp.tool()
def ping() -> str:
    return "pong"

app = mcp.http_app()
app.add_middleware(CORSMiddleware, allow_origins=ORIGINS, allow_credentials=True)
`
	for settings, want := range map[string]bool{
		"import os\nORIGINS = os.getenv('ORIGINS', '*').split(',')\n": true,
		"ORIGINS = ['https://a.example']\n":                           false,
	} {
		s, problems, err := Analyse([]sink.File{{Path: "app.py", Text: []byte(app)}, {Path: "settings.py", Text: []byte(settings)}}, nil, nil)
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		if got := slices.ContainsFunc(s.Sites, func(x sink.Site) bool { return x.Kind == sink.OpenSharing }); got != want {
			t.Errorf("%q: %t, want %t", settings, got, want)
		}
	}
}
