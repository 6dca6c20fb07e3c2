package clientplan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/internal/runtime/discover"
)

// Named files are read once and called what the user called them; what is found comes behind them, without those.
func TestReadFiles(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	const text = `{"mcpServers":{"a":{"command":"x"}}}`
	for _, name := range []string{".cursor/mcp.json", "own.json"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("broken.json", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	host := discover.Host{FS: discover.Disk{}, OS: "linux", Home: home}
	found := filepath.Join(home, ".cursor/mcp.json")
	for _, tt := range []struct {
		name    string
		host    discover.Host
		names   []string
		found   bool
		want    string // paths
		problem string
	}{
		{"none", host, nil, false, "", ""},
		{"one", host, []string{"own.json"}, false, "own.json", ""},
		{"one under two names", host, []string{"own.json", "./own.json"}, false, "own.json", ""},
		{"two", host, []string{"own.json", ".cursor/mcp.json"}, false, "own.json .cursor/mcp.json", ""},
		{"found", host, nil, true, found, ""},
		{"named and found", host, []string{".cursor/mcp.json"}, true, ".cursor/mcp.json", ""},
		{"another named", host, []string{"own.json"}, true, "own.json " + found, ""},
		{"no home", discover.Host{FS: discover.Disk{}, OS: "linux"}, []string{"own.json"}, true, "own.json", "the home directory is not known"},
		{"nothing there", discover.Host{FS: discover.Disk{}, OS: "linux", Home: t.TempDir()}, nil, true, "", "nothing was found"},
		{"nothing there beside one that is named", discover.Host{FS: discover.Disk{}, OS: "linux", Home: t.TempDir()}, []string{"own.json"}, true, "own.json", "nothing was found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, problems := ReadFiles(tt.host, tt.names, tt.found)
			var got []string
			for _, f := range files {
				got = append(got, f.Path)
				for _, e := range f.Entries {
					if e.File != f.Path {
						t.Errorf("an entry of %s says that it is in %s", f.Path, e.File)
					}
				}
				if len(f.Entries) != 1 {
					t.Errorf("%s has %d entries", f.Path, len(f.Entries))
				}
			}
			if strings.Join(got, " ") != tt.want || (len(problems) == 0) != (tt.problem == "") || len(problems) > 0 && (!strings.HasPrefix(problems[0].Message, tt.problem) || problems[0].Input != -1) {
				t.Errorf("%q, problems %v, want %q, %q", got, problems, tt.want, tt.problem)
			}
		})
	}
	files, _ := ReadFiles(host, []string{"broken.json"}, false)
	if len(files) != 1 || len(files[0].Problems) == 0 || files[0].Problems[0].Location.File != "broken.json" {
		t.Errorf("a broken file: %+v", files)
	}
}

// What the user did not agree to is counted: nothing, one or several.
func TestUnlaunchedAreCounted(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "1 configured server was not scanned: why", 2: "2 configured servers were not scanned: why"} {
		p := &Plan{}
		for range n {
			p.Launches = append(p.Launches, &Launch{})
		}
		p.Launches = append(p.Launches, nil)
		p.Decline(func(l *Launch) bool { return l != nil }, "why")
		var got string
		for _, problem := range p.Problems {
			got += problem.Message
			if problem.Kind != finding.Unread {
				t.Errorf("a problem of kind %s", problem.Kind)
			}
		}
		if got != want || len(p.Launches) != 1 {
			t.Errorf("%d declined: %q, want %q; %d are left", n, got, want, len(p.Launches))
		}
	}
}
