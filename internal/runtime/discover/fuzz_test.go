package discover

import (
	"strings"
	"testing"

	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/leaf/charset"
)

// Whatever bytes are read: no panic, every place lies inside the file, a file with
// anything in it gives entries or a problem, and the checks run.
func FuzzRead(f *testing.F) {
	names := []string{"mcp.json", "config.toml", "config.yaml", "openclaw.json5"}
	fixtureFiles(f, func(name, text string) {
		for i, n := range names {
			if formatOf(name, text) == formatOf(n, "") {
				f.Add(byte(i), []byte(text))
			}
		}
	})
	for _, s := range []string{"{", `{"mcpServers":[[[[{"command":["a",["b"]]}]]]]}`, "\xff\xfe{\x00}\x00", "{\"mcpServers\":{\"\xff\":{\"command\":\"\xff \"}}}", `{"a":{"command":"x"}}`} {
		f.Add(byte(0), []byte(s))
	}
	f.Add(byte(3), []byte("{a: 'x\\'\"', // no\n b: [+1, .5, 0x1F,], /* c */ mcpServers: {s: {command: \"a\"}},}"))
	f.Add(byte(1), []byte("[[mcp_servers]]\ncommand=\"a\"\n[mcp_servers.x]\nurl=1\n[mcp_servers]\nx.y.command=\"z\""))
	f.Add(byte(2), []byte("a: &a [*a]\nmcpServers: &b\n  - &c {name: x, command: y}\n  - *c\n  - <<: *c"))
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		name := names[int(which)%len(names)]
		file := Read(name, data, Hint{})
		text := charset.Decode(string(data))
		last := strings.Count(text, "\n") + 1
		inside := func(what string, p config.Place) {
			if p.Line < 1 || p.Line > last || p.EndLine > last || p.Column < 1 || p.Start < 0 || p.Start > p.End || p.End > len(text) {
				t.Fatalf("%s lies outside of %q: %+v", what, text, p)
			}
		}
		for i := range file.Entries {
			e := &file.Entries[i]
			inside("entry", e.Place)
			inside("raw", e.Raw.Place)
			for _, a := range e.Args {
				inside("argument", a.Place)
			}
			for _, v := range append(append(e.Env, e.Headers...), e.Settings...) {
				inside("variable", v.Value.Place)
			}
			if !strings.HasPrefix(e.Place.Pointer, "/") {
				t.Fatalf("pointer %q", e.Place.Pointer)
			}
			_, _ = Host{FS: memory{texts: map[string]string{"/.env": text}}, OS: "linux", Home: "/home/ada"}.Resolve(*e)
		}
		for _, p := range file.Problems {
			if p.Location.Line > last {
				t.Fatalf("a problem lies outside of %q: %+v", text, p)
			}
		}
		if len(file.Entries) == 0 && len(file.Problems) == 0 && strings.Contains(text, `"command"`) && name == "mcp.json" && !strings.ContainsAny(text, `/`) && strings.HasPrefix(text, `{"command"`) {
			t.Fatalf("nothing said of %q", text)
		}
		_, problems := config.Run([]config.File{file}, config.Checks())
		if len(problems) > 0 {
			t.Fatalf("a check failed: %v", problems)
		}
	})
}
