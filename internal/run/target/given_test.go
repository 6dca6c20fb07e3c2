package target

import (
	"slices"
	"strings"
	"testing"
)

// What is set for one server goes to no other, and no error quotes a value.
func TestGiven(t *testing.T) {
	lookup := func(name string) (string, bool) { return "from-here", name == "OURS" }
	for _, tt := range []struct {
		name    string
		given   Given
		changed string
		targets []Target
		want    string // of the error; "" for none
	}{
		{"a variable for a command", Given{Env: []string{"A=1", "OURS"}}, "env", Named(nil, []string{"server"}), ""},
		{"a variable for a URL", Given{Env: []string{"A=secret"}}, "env", Named([]string{"https://a.example"}, nil), "--env is for a server that is started"},
		{"a folder for a file", Given{Dir: "d"}, "cwd", Named([]string{"a.json"}, nil), "--cwd is for a server that is started"},
		{"a header for a command", Given{Header: []string{"K=secret"}}, "header", Named(nil, []string{"server"}), "--header is for a server behind a URL"},
		{"a header for two origins", Given{Header: []string{"K=secret"}}, "header", Named([]string{"https://a.example", "https://b.example"}, nil), "would go to several servers"},
		{"a header for another port", Given{Header: []string{"K=secret"}}, "header", Named([]string{"https://a.example", "https://a.example:8443"}, nil), "would go to several servers"},
		{"a header for two paths", Given{Header: []string{"K=v"}}, "header", Named([]string{"https://a.example/x", "HTTPS://A.example/y"}, nil), ""},
		{"a token as a header", Given{Header: []string{"authorization =secret"}}, "header", Named([]string{"https://a.example"}, nil), "--header does not take Authorization"},
		{"a token for its variable", Given{Bearer: "secret"}, "bearer-env", Named([]string{"https://a.example"}, nil), "--bearer-env wants the name of a variable"},
		{"a value without a name", Given{Env: []string{"=secret"}}, "env", Named(nil, []string{"server"}), "--env number 1 is not of the form"},
		{"a variable that is not set", Given{Env: []string{"A=1", "secret"}}, "env", Named(nil, []string{"server"}), "--env number 2 is not of the form NAME=VALUE, and no"},
	} {
		err := tt.given.Apply(tt.targets, func(flag string) bool { return flag == tt.changed }, lookup)
		switch {
		case err == nil && tt.want != "" || err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		case err != nil && strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: the error quotes the value: %v", tt.name, err)
		}
	}
}

func TestGivenReachesItsTargets(t *testing.T) {
	targets := Named([]string{"a.json", "https://a.example"}, []string{"server", "x"})
	given := Given{Env: []string{"OURS", "A=1"}, Dir: "d", Header: []string{"K=v"}, Bearer: "OURS"}
	err := given.Apply(targets, func(string) bool { return true }, func(string) (string, bool) { return "value", true })
	if err != nil {
		t.Fatal(err)
	}
	file, url, command := targets[0], targets[1], targets[2]
	if file.Env != nil || file.Header != nil || file.Bearer != "" {
		t.Errorf("the file got %+v", file)
	}
	if url.Bearer != "OURS=value" || !slices.Equal(url.Header, []string{"K=v"}) || url.Env != nil || url.Dir != "" {
		t.Errorf("the URL got %+v", url)
	}
	if !slices.Equal(command.Env, []string{"OURS=value", "A=1"}) || command.Dir != "d" || command.Header != nil || command.Bearer != "" {
		t.Errorf("the command got %+v", command)
	}
	if got := SnapshotFiles(targets); !slices.Equal(got, []string{"a.json"}) || !AnyLive(targets) || AnyLive(targets[:1]) {
		t.Errorf("snapshots %q, live %v", got, AnyLive(targets))
	}
}
