package config_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"

	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/runtime/discover"
)

func TestValueNeverPrints(t *testing.T) {
	const canary = "kNarY7-canary"
	v := config.NewValue(canary, config.Place{Pointer: "/a"})
	type inside struct{ hidden config.Value }
	type outside struct{ Shown config.Value }
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v, "p", &v)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v, "o", outside{v})
	asJSON, err := json.Marshal([]any{v, &v, outside{v}, map[string]config.Value{"a": v}})
	if err != nil {
		t.Fatal(err)
	}
	all := []string{log.String(), string(asJSON), v.String(), fmt.Sprint(v, &v, inside{v}, outside{v}, &inside{v})}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10.3s", "%T", "%p"} {
		for _, x := range []any{v, &v, inside{v}, &inside{v}, outside{v}, []config.Value{v}, map[string]inside{"a": {v}}} {
			all = append(all, fmt.Sprintf(verb, x))
		}
	}
	for _, s := range all {
		if strings.Contains(s, canary) || strings.Contains(strings.ToLower(s), fmt.Sprintf("%x", canary)) {
			t.Errorf("it is printed: %s", s)
		}
	}
	if v.Reveal() != canary || (config.Value{}).Reveal() != "" || (config.Value{}).String() != "" {
		t.Error("Reveal and the zero Value")
	}
}

func TestMask(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", "… (0 characters)"}, {"abc", "… (3 characters)"}, {"abcdefgh", "ab… (8 characters)"},
		{"ghp_0123456789abcdef", "ghp_… (20 characters)"}, {"äöüßäöüßäöüßäöüß", "äöüß… (16 characters)"}, {"\xff\xff\xff\xff\xff\xff", "\uFFFD… (6 characters)"},
	} {
		if got := config.Mask(tt.in); got != tt.want {
			t.Errorf("Mask(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestReferences(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"${A}", "env A"}, {"x${A:-b c}y", "env A=b c"}, {"${env:A}", "env A"}, {"${input:a-b}", "input a-b"},
		{"$A/$B", "env A,env B"}, {"%APPDATA%", "env APPDATA"}, {"{env:A}{file:~/x}", "env A,file ~/x"},
		{"${{ secrets.A }}${{ inputs.B }}", "secret A,input B"}, {"${workspaceFolder:web}", "folder workspaceFolder:web"}, {"${userHome}", "folder userHome"},
		{"$", ""}, {"$1", ""}, {"${}", ""}, {"${a b}", ""}, {"100%", ""}, {"{env:}", ""}, {"${", ""}, {"${{", ""}, {"{env", ""},
	} {
		var got []string
		for _, r := range config.References(tt.in) {
			s := string(r.Kind) + " " + r.Name
			if r.HasDefault {
				s += "=" + r.Default
			}
			got = append(got, s)
		}
		if strings.Join(got, ",") != tt.want {
			t.Errorf("References(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		in      string
		windows bool
		want    string
	}{
		{`npx -y "a b" 'c d' e\ f`, false, "npx|-y|a b|c d|e f"},
		{`"C:\Program Files\n.exe" C:\x`, true, `C:\Program Files\n.exe|C:\x`},
		{`a "" b`, false, "a||b"}, {"  ", false, ""}, {`a "b`, false, "a|b"}, {`a\`, false, `a\`},
	} {
		if got := strings.Join(config.Words(tt.in, tt.windows), "|"); got != tt.want {
			t.Errorf("Words(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestAccess(t *testing.T) {
	for _, tt := range []struct {
		a    config.Access
		want bool
	}{
		{config.Access{}, false},
		{config.Access{Mode: 0o666}, false}, // not known
		{config.Access{Known: true, Mode: 0o664, Dir: 0o775}, false},
		{config.Access{Known: true, Mode: 0o602, Dir: 0o700}, true},
		{config.Access{Known: true, Mode: 0o600, Dir: 0o777}, true},
		{config.Access{Known: true, Mode: 0o600, Dir: 0o777 | fs.ModeSticky}, false},
	} {
		if got := tt.a.Anyone(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.a, got, tt.want)
		}
	}
}

func TestAgents(t *testing.T) {
	files := []config.File{
		discover.Read("/h/.cursor/mcp.json", []byte(`{"mcpServers":{"a":{"command":"x"},"b":{"command":"y","disabled":true}}}`), discover.Hint{}),
		discover.Read("/p/.cursor/mcp.json", []byte(`{"mcpServers":{"c":{"url":"https://x.example"}}}`), discover.Hint{Project: "/p"}),
		discover.Read("/q/.roo/mcp.json", []byte(`{"mcpServers":{"d":{"command":"x"}}}`), discover.Hint{Project: "/q"}),
		discover.Read("/h/.kiro/settings/mcp.json", []byte(`{"mcpServers":{}}`), discover.Hint{}),
	}
	var got []string
	for _, a := range config.Agents(files) {
		line := fmt.Sprintf("%s %q:", a.Client, a.Project)
		for _, s := range a.Servers {
			line += fmt.Sprintf(" %s/%s/%v", s.Name, s.Transport, s.Disabled)
		}
		got = append(got, line)
	}
	want := `cursor "": a/stdio/false b/stdio/true
cursor "/p": a/stdio/false b/stdio/true c/http/false
roo-code "/q": d/stdio/false`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// The fingerprint of a finding survives other writing, new neighbours and another place of
// the file; it changes with what it is about.
func TestFingerprints(t *testing.T) {
	prints := func(name, text string) string {
		var out []string
		f := discover.Read(name, []byte(text), discover.Hint{Client: "cursor"})
		found, _ := config.Run([]config.File{f}, config.Checks())
		for _, x := range found {
			if x.Location.Server != "neighbour" {
				out = append(out, string(x.Rule)+x.Fingerprint)
			}
		}
		return strings.Join(out, " ")
	}
	want := prints("/a/mcp.json", `{"mcpServers":{"s":{"command":"npx","args":["-y","x"],"env":{"A_TOKEN":"4f9a1c7e22b84d05aa"}}}}`)
	if strings.Count(want, "GNT") != 2 {
		t.Fatalf("got %q, want two findings", want)
	}
	for _, tt := range []struct {
		name, text string
		same       bool
	}{
		{"other file, other layout", "{\n// c\n\"mcpServers\": {\"neighbour\": {\"command\": \"npx\", \"args\": [\"z\"]},\n\"s\":{\"command\":\"npx\",\"args\":[\"-y\",\"x\"],\"env\":{\"A_TOKEN\":\"4f9a1c7e22b84d05aa\"}}}}", true},
		{"another argument in front", `{"mcpServers":{"s":{"command":"npx","args":["--quiet","-y","x"],"env":{"A_TOKEN":"4f9a1c7e22b84d05aa"}}}}`, true},
		{"another package", `{"mcpServers":{"s":{"command":"npx","args":["-y","y"],"env":{"A_TOKEN":"4f9a1c7e22b84d05aa"}}}}`, false},
		{"another name", `{"mcpServers":{"t":{"command":"npx","args":["-y","x"],"env":{"A_TOKEN":"4f9a1c7e22b84d05aa"}}}}`, false},
	} {
		if got := prints("/b/mcp.json", tt.text); (got == want) != tt.same {
			t.Errorf("%s: %q, first %q", tt.name, got, want)
		}
	}
}

func TestCommandLineMasks(t *testing.T) {
	f := discover.Read("mcp.json", []byte(`{"mcpServers":{"s":{"command":"npx","args":["-y","mcp-remote@1.0.0","https://u:Passw0rd9@x.example/a?api_key=4f9a1c7e22b84d05aa","--token","4f9a1c7e22b84d05aa","--header=Authorization: Bearer 9b1d22c34e5f66a7bb","${env:KEY}"]}}}`), discover.Hint{})
	got := f.Entries[0].CommandLine()
	for _, s := range []string{"Passw0rd9", "4f9a1c7e", "9b1d22c3"} {
		if strings.Contains(got, s) {
			t.Errorf("%s stands in %s", s, got)
		}
	}
	if !strings.Contains(got, "mcp-remote@1.0.0") || !strings.Contains(got, "${env:KEY}") {
		t.Errorf("too much is masked: %s", got)
	}
}

// What a server is given for its eyes only is hidden where it says it again; words that
// stand in every text are not.
func TestGuarded(t *testing.T) {
	f := discover.Read("mcp.json", []byte(`{"mcpServers":{
		"s":{"command":"x","args":["--token","4f9a1c7e22b84d05aa","--port","8080"],"env":{"LOG_LEVEL":"info","PORT":"3000","DB_PASSWORD":"hunter","BASE":"a b","WORDS":"correcthorsebattery"}},
		"u":{"url":"https://x.example","headers":{"Authorization":"Bearer 9b1d22c34e5f66a7bb","X-Env":"production"}}}}`), discover.Hint{})
	for i, want := range []string{
		"DB_PASSWORD=hunter|BASE=a b|WORDS=correcthorsebattery|argument 2=4f9a1c7e22b84d05aa",
		"Authorization=Bearer 9b1d22c34e5f66a7bb|Authorization=9b1d22c34e5f66a7bb",
	} {
		if got := strings.Join(f.Entries[i].Guarded(), "|"); got != want {
			t.Errorf("entry %d: got %q, want %q", i, got, want)
		}
	}
}

func TestPanicIsAProblem(t *testing.T) {
	k := &config.Check{ID: "GNT-199", Run: func(*config.Pass) { panic("oops") }}
	found, problems := config.Run(nil, []*config.Check{k, config.Checks()[0]})
	if len(found) != 0 || len(problems) != 1 || !strings.Contains(problems[0].Message, "oops") {
		t.Errorf("%v, %v", found, problems)
	}
}

// An address is shown in the words of the configuration, without what is for the server only.
func TestAddress(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"https://x.example", "https://x.example"},
		{"https://x.example/", "https://x.example/"},
		{"https://ada:hunter2hunter2@x.example:8/a/b?token=1#c", "https://x.example:8/a/b?…"},
		{"https://x.example?a=/b", "https://x.example?…"},
		{"https://x.example/${TENANT}/a%20b/mcp", "https://x.example/${TENANT}/a%20b/mcp"},
		{"https://x.example/4f9a1c7e22b84d05aaf3/mcp", "https://x.example/4f9a… (20 characters)/mcp"},
	} {
		e := config.Entry{URL: config.NewValue(tt.in, config.Place{})}
		if got := e.Address(); got != tt.want {
			t.Errorf("%q is shown as %q, want %q", tt.in, got, tt.want)
		}
	}
}

// A mask hides a secret and never the program that stands around it.
func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		name, command string
		args          []string
		want          string
	}{
		{"a flag", "x", []string{"--token", "4f9a1c7e22b84d05aa"}, `x --token "4f9a… (18 characters)"`},
		{"a variable of a container", "docker", []string{"run", "-e", "API_KEY=abc123456xyz", "img"}, `docker run -e "API_KEY=abc… (12 characters)" img`},
		{"a program that calls itself a key", "node", []string{"-e", "API_KEY='abc123456',require('child_process').execSync('id')"}, `node -e "API_KEY='abc… (19 characters)('child_process').execSync('id')"`},
		{"a script that calls itself a token", "sh", []string{"-c", "TOKEN=abc123456;curl$X|sh"}, `sh -c "TOKEN=ab… (9 characters);curl$X|sh"`},
		{"a script in place of a password", "bash", []string{"-lc", "x http://ada:$(evil)@h"}, `bash -lc "x http://ada:$(evil)@h"`},
		{"an honest script", "sh", []string{"-c", "cd /srv && exec npx -y x@1.2.3"}, `sh -c "cd /srv && exec npx -y x@1.2.3"`},
		{"a script with a secret of its own", "sh", []string{"-c", "A_TOKEN=4f9a1c7e22b84d05aa; exec x"}, `sh -c "A_TOKEN=4f9a… (18 characters); exec x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := config.Entry{Command: tt.command}
			for _, a := range tt.args {
				e.Args = append(e.Args, config.NewValue(a, config.Place{}))
			}
			if got := e.CommandLine(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
