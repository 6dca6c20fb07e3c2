package tracefile

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

func TestSecretRemover(t *testing.T) {
	r, err := NewSecretRemover([]string{"TOKEN=hunter2hunter2"}, []string{`ada@[a-z.]+`, `\bid-\d+`})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"hunter2hunter2", "ada@example.org", "id-12"} {
		got := r.Remove("before " + text + " behind")
		if strings.Contains(got, text) || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " behind") {
			t.Errorf("%q is left in %q", text, got)
		}
	}
	if got := r.Remove("bid-12 ada@ hunter2"); got != "bid-12 ada@ hunter2" {
		t.Errorf("near misses became %q", got)
	}
	// The same secret has the same label, another one another.
	a, again, b := r.Remove("id-12"), r.Remove("id-12"), r.Remove("id-13")
	if a != again || a == b || !strings.HasPrefix(a, "[secret-") {
		t.Errorf("labels %q, %q, %q", a, again, b)
	}
	for _, pattern := range []string{"(", "a*", ""} {
		if _, err := NewSecretRemover(nil, []string{"x", pattern}); err == nil {
			t.Errorf("the pattern %q is taken", pattern)
		}
	}
}

// A copy has every message that can be read, says that it is one, and counts those that had a secret.
func TestCopy(t *testing.T) {
	room, dir := 1<<20, t.TempDir()
	file, name := onDisk(t, dir, &room, 100, nil)
	tap := file.Tap("mail", trace.Between, nil, nil)
	for _, who := range []string{"ada", "nobody", "ada"} {
		tap(wire.Passage{Message: wire.Decode(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"` + who + `@example.org"}}`), Sent: true})
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := NewSecretRemover(nil, []string{`ada@[a-z.]+`})
	if err != nil {
		t.Fatal(err)
	}
	in, err := Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out := filepath.Join(dir, "copy.ndjson")
	changed, all, err := r.Copy(t.Context(), in, out, nil, "this test", func(*trace.LineError) {})
	if err != nil || changed != 2 || all != 3 {
		t.Errorf("%d of %d changed, %v, want 2 of 3", changed, all, err)
	}
	text, err := os.ReadFile(out)
	if err != nil || strings.Contains(string(text), "ada@") || !strings.Contains(string(text), "nobody@example.org") {
		t.Errorf("%v, the copy is %s", err, text)
	}
	copied, err := Open(out, nil)
	if err != nil {
		t.Fatal(err)
	}
	copied.Close()
	if h := copied.Header; !h.Redacted || h.Tool != "this test" || h.Part != 0 {
		t.Errorf("its header is %+v", h)
	}
	again, err := Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := r.Copy(over, again, filepath.Join(dir, "cut.ndjson"), nil, "this test", func(*trace.LineError) {}); err == nil || !strings.HasPrefix(err.Error(), "the copy is incomplete: ") {
		t.Errorf("interrupted: %v", err)
	}
	if _, _, err := r.Copy(t.Context(), again, filepath.Join(dir, "none", "copy.ndjson"), nil, "this test", func(*trace.LineError) {}); err == nil {
		t.Error("no error where nothing can be written")
	}
}

// Standard input is a trace like a file; without one a dash is the name of a file.
func TestReadOfADash(t *testing.T) {
	t.Chdir(t.TempDir())
	text := func(server string) string {
		return `{"format":"gauntlet-trace","version":"1.0","tool":"a test"}` + "\n" + `{"seq":1,"server":"` + server + `","role":"proxy","direction":"to_server","kind":"request","id":"1","method":"ping","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"}` + "\n"
	}
	if err := os.WriteFile("-", []byte(text("a file")), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, stdin := range map[string]io.Reader{"typed": strings.NewReader(text("typed")), "a file": nil} {
		got, err := Read("-", stdin)
		if err != nil || len(got.Messages) != 1 || got.Messages[0].Server != want {
			t.Errorf("%+v, %v, want the trace of %s", got, err, want)
		}
	}
}
