package liveview

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A page draws at most twelve recordings; what cannot be read is noted, and the rest is read.
func TestConversations(t *testing.T) {
	dir := t.TempDir()
	names := []string{"", "-", filepath.Join(dir, "absent")}
	for i := range maxPageTraces + 1 {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name, name)
	}
	var notes []string
	got := Conversations(names, func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) })
	if len(got) != maxPageTraces || got[0].File != filepath.Join(dir, "0") || len(got[0].Trace.Messages) != 1 {
		t.Errorf("got %d conversations", len(got))
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "absent is not drawn: ") {
		t.Errorf("notes %q", notes)
	}
}

// line is a recording of one message, behind its head.
const line = `{"format":"gauntlet-trace","version":"1.0","tool":"a test"}
{"seq":1,"server":"a","role":"proxy","direction":"to_server","kind":"request","id":"1","method":"tools/list","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"}` + "\n"
