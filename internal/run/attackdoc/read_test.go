package attackdoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/attacks"
	"gauntlet/internal/engine/fromscan"
	"gauntlet/internal/leaf/faults"
	"gauntlet/oatf"
)

// writeFiles writes files, each with its name as its text.
func writeFiles(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	own := attacks.Names()[0]
	writeFiles(t, "b.yaml", "dir/z.yaml", "dir/a.yml", "dir/c.txt", "dir/sub/d.yaml", "dir/.hidden/e.yaml", "dir/.f.yaml", "none/readme.md", "yaml", "taken", "dir.yaml/g.yaml")
	if err := os.WriteFile("empty.yaml", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"dir/inside.yaml": "sub/d.yaml", "dir/outside.yaml": "../b.yaml", "dir/folder.yaml": "sub", "linked.yaml": "b.yaml"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args []string
		want string // names and what was read of them, errors behind "!"
	}{
		{[]string{"b.yaml"}, "b.yaml=b.yaml"},
		{[]string{"yaml"}, "yaml=yaml"},
		{[]string{"linked.yaml"}, "linked.yaml=b.yaml"},
		{[]string{"-"}, "-=typed"},
		{[]string{"empty.yaml"}, "empty.yaml="},
		{[]string{"dir.yaml"}, "dir.yaml/g.yaml=dir.yaml/g.yaml"},
		{[]string{"dir", "b.yaml"}, "dir/.f.yaml=dir/.f.yaml dir/a.yml=dir/a.yml dir/inside.yaml=dir/sub/d.yaml dir/outside.yaml!it is a symbolic link dir/sub/d.yaml=dir/sub/d.yaml dir/z.yaml=dir/z.yaml b.yaml=b.yaml"},
		{[]string{"none"}, "none!the directory holds no .yaml file"},
		{[]string{"gone.yaml"}, "gone.yaml!no such file"},
		{[]string{"gone/x"}, "gone/x!no such file"},
		{[]string{own}, own + "=built in"},
		{[]string{own[:len(own)-1]}, own[:len(own)-1] + "!no such file, and no built-in attack of this name"},
		{[]string{"zzzzzzzzzzzzzzzzz"}, "zzzzzzzzzzzzzzzzz!no such file, and no built-in attack of this name; gauntlet attack list shows the built-in attacks"},
	} {
		all, err := Read(t.Context(), tt.args, strings.NewReader("typed"), oatf.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		wants := strings.Split(tt.want, " ")
		var got []string
		for _, one := range all {
			switch text, _ := attacks.Text(one.Name); {
			case one.Err != nil:
				got = append(got, one.Name+"!"+one.Err.Error())
			case one.BuiltIn && one.Text == text:
				got = append(got, one.Name+"=built in")
			default:
				got = append(got, one.Name+"="+one.Text)
			}
		}
		if line := strings.Join(got, " "); strings.Contains(tt.want, "!") {
			at := 0
			for _, w := range wants { // errors are told further
				n := strings.Index(line[at:], w)
				if n < 0 {
					t.Errorf("%q: got %q, want %q", tt.args, line, tt.want)
					break
				}
				at += n
			}
		} else if line != tt.want {
			t.Errorf("%q: got %q, want %q", tt.args, line, tt.want)
		}
	}
	// A file goes before a built-in attack of its name.
	writeFiles(t, own)
	if all, err := Read(t.Context(), []string{own}, nil, oatf.DefaultLimits()); err != nil || all[0].BuiltIn || all[0].Text != own {
		t.Errorf("%+v, %v", all, err)
	}
	limits := oatf.DefaultLimits()
	limits.Bytes = len("b.yaml") - 1
	if all, err := Read(t.Context(), []string{"b.yaml"}, nil, limits); err != nil || all[0].Err == nil {
		t.Errorf("longer than the limit: %+v, %v", all, err)
	}
}

func TestExpandPatterns(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, "b.yaml", "a.yaml", "c[1].yaml", "c1.txt")
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{[]string{"*.yaml"}, "a.yaml b.yaml c[1].yaml"},
		{[]string{"?.yaml", "gone.yaml"}, "a.yaml b.yaml gone.yaml"},
		{[]string{"c[1].yaml"}, "c[1].yaml"}, // a file of this name
		{[]string{"c[1].txt"}, "c1.txt"},
		{[]string{"plain"}, "plain"},
		{nil, ""},
	} {
		if got, err := ExpandPatterns(tt.names); err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %q, %v, want %q", tt.names, got, err, tt.want)
		}
	}
	for name, want := range map[string]string{"*.yml": "*.yml: no file fits the pattern", "[": "[: "} {
		if _, err := ExpandPatterns([]string{"a.yaml", name}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// What the user says are the messages of the first front end that has any.
func TestPrompt(t *testing.T) {
	const head = "oatf: \"0.1\"\nattack:\n  execution:\n    actors:\n"
	actor := func(name, mode, messages string) string {
		return fmt.Sprintf("      - name: %s\n        mode: %s\n        phases:\n          - name: a\n            state: {run_agent_input: {messages: [%s]}}\n", name, mode, messages)
	}
	const hello, assistant = `{role: user, content: "Hello."}`, `{role: assistant, content: "No."}`
	for _, tt := range []struct{ name, actors, want string }{
		{"a message", actor("u", "ag_ui_client", hello), "Hello."},
		{"of the assistant", actor("u", "ag_ui_client", assistant), ""},
		{"two", actor("u", "ag_ui_client", hello+", "+assistant+`, {role: user, content: "Bye."}`), "Hello.\n\nBye."},
		{"of another mode", actor("u", "a2a_client", hello), ""},
		{"the first that has any", actor("n", "ag_ui_client", "") + actor("u", "ag_ui_client", hello) + actor("v", "ag_ui_client", `{role: user, content: "Not me."}`), "Hello."},
		{"parts", actor("u", "ag_ui_client", `{role: user, content: [{type: text, text: "One."}, {type: binary, data: x}, {type: text, text: "Two."}]}`), "One.\nTwo."},
		{"nothing said", actor("u", "ag_ui_client", `{role: user, content: ""}`), ""},
	} {
		d, err := oatf.DefaultLimits().Parse(head + tt.actors)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := Prompt(oatf.Normalize(d)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWriteDrafts(t *testing.T) {
	text, _ := attacks.Text(attacks.Names()[0])
	doc, _, err := oatf.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new", "folder")
	drafts := []fromscan.Draft{{Name: "a.yaml", Document: doc}, {Name: "b.yaml", Document: doc}}
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	if err := WriteDrafts(dir, drafts, say); err != nil || len(said) != 2 || !strings.HasPrefix(said[1], "wrote "+filepath.Join(dir, "b.yaml")+": ") {
		t.Fatalf("%v, said %q", err, said)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.yaml")); err != nil || string(got) != oatf.Serialize(doc) {
		t.Errorf("%v, %.100q", err, got)
	}
	if err := os.Remove(filepath.Join(dir, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, filepath.Join(dir, "b.yaml"))
	if err := WriteDrafts(dir, drafts, say); !errors.Is(err, os.ErrExist) && (err == nil || !strings.Contains(err.Error(), "b.yaml: file exists")) {
		t.Errorf("a file that was there: %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "b.yaml")); string(got) != filepath.Join(dir, "b.yaml") {
		t.Errorf("a file that was there has changed to %.100q", got)
	}
	if err := WriteDrafts(filepath.Join(dir, "b.yaml"), drafts, say); err == nil {
		t.Error("no error for a folder that is a file")
	}
}

func TestWriteFaults(t *testing.T) {
	var all bytes.Buffer
	if err := WriteFaults(&all, nil); err != nil {
		t.Fatal(err)
	}
	var heads []string
	for line := range strings.Lines(all.String()) {
		if !strings.HasPrefix(line, " ") {
			name, _, _ := strings.Cut(line, ":")
			heads = append(heads, name)
		}
	}
	if !slices.Equal(heads, faults.Names()) {
		t.Errorf("faults %q, want %q", heads, faults.Names())
	}
	for _, k := range faults.Kinds() {
		var one bytes.Buffer
		if err := WriteFaults(&one, []string{k.Name}); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(one.String(), "\n")
		want := k.Name + ": " + k.Says
		switch {
		case k.HTTP:
			want += " (HTTP only)"
		case k.Answers:
			want += " (answers only)"
		}
		if head != want || strings.Count(one.String(), "\n") != 1+len(k.Params) || !strings.Contains(all.String(), one.String()) {
			t.Errorf("got %q, want %q and %d parameters", one.String(), want, len(k.Params))
		}
	}
	if err := WriteFaults(failing{}, nil); err == nil {
		t.Error("no error where nothing can be written")
	}
}

// failing is where nothing can be written.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// The error of a document names its first fault and counts the rest.
func TestParseAndLoad(t *testing.T) {
	limits := oatf.DefaultLimits()
	two := Text{Name: "d.yaml", Text: "oatf: \"0.1\"\nattack: {execution: {mode: nothing_known, phases: []}}\n"}
	_, err := two.Parse(limits)
	if err == nil || !strings.HasPrefix(err.Error(), "d.yaml: not valid: ") || !strings.HasSuffix(err.Error(), " and 1 more; gauntlet attack validate shows all of it") {
		t.Errorf("two faults: %v", err)
	}
	if d, problem := two.Load(limits); d != nil || problem != err.Error() {
		t.Errorf("loaded: %v, %q", d, problem)
	}
	broken := Text{Name: "d.yaml", Text: "a: ["}
	if _, err := broken.Parse(limits); err == nil || strings.Contains(err.Error(), " more;") {
		t.Errorf("no YAML: %v", err)
	}
	gone := Text{Name: "d.yaml", Err: errors.New("no such file")}
	if d, problem := gone.Load(limits); d != nil || problem != "it cannot be read: no such file" || gone.Unreadable() != "d.yaml: no such file" {
		t.Errorf("unreadable: %v, %q, %q", d, problem, gone.Unreadable())
	}
	text, _ := attacks.Text(attacks.Names()[0])
	fine := Text{Name: "d.yaml", Text: text}
	if d, problem := fine.Load(limits); d == nil || problem != "" || len(d.Attack.Execution.Actors) == 0 {
		t.Errorf("valid: %v, %q", d, problem)
	}
	if on := two.Validate(limits, true); len(on.Errors) != 2 {
		t.Errorf("errors %v, want two", on.Errors)
	}
}
