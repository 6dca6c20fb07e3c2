package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gauntlet/report"
	"gauntlet/result"
)

// saysComplete is what the formats write of a report that is complete, and of nothing else.
var saysComplete = regexp.MustCompile(`is complete\.|; the scan is complete|"complete": ?true|"executionSuccessful": ?true|` +
	`Everything that was asked for was read and judged|name="is complete"(/>|>\s*<(system-out|/testcase))`)

// What is undone is never done: with a part that was not read, played or judged every command ends with 2 and says in no
// format that it is complete. Without that part it ends with 0.
func TestNoCommandCallsUndoneDone(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.json", `{"tools":[{"name":"add","description":"Adds two numbers."}]}`)
	cut := file("cut.json", `{"tools":[{"name":"add","description":"Adds two numbers."}],"nextCursor":"x"}`)
	broken := file("broken.yaml", "oatf: \"0.1\"\nattack: 7\n")
	recorded := filepath.Join(dir, "run.ndjson")
	if code, _, stderr := runMain(t, os.Environ(), "attack", "run", "--agent", "builtin:resister", "--agent-idle", "1ms", "--trace", recorded, "tool-poisoning"); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, tt := range []struct {
		name    string
		args    []string
		undone  string // a further argument by which a part stays undone
		formats []string
	}{
		{"scan", []string{"scan", "--fail-on", "none", good}, cut, report.Formats().Names()},
		{"scan, a file that is not there", []string{"scan", "--fail-on", "none", good}, filepath.Join(dir, "nowhere.json"), report.Formats().Names()},
		{"attack run", []string{"attack", "run", "--agent", "builtin:resister", "--agent-idle", "1ms", "tool-poisoning"}, broken, report.Formats().Names()},
		{"attack judge", []string{"attack", "judge", "--trace", recorded, "tool-poisoning"}, broken, report.Formats().Names()},
		{"attack judge, one that never arrived", []string{"attack", "judge", "--trace", recorded, "tool-poisoning"}, "prompt-poisoning", report.Formats().Names()},
	} {
		for _, format := range tt.formats {
			t.Run(tt.name+", "+format, func(t *testing.T) {
				t.Parallel()
				args := append(append([]string{tt.args[0]}, splitFlags(tt.args[0], tt.args[1:], format)...), tt.undone)
				code, out, stderr := runMain(t, os.Environ(), args...)
				if code != result.ExitTrouble || saysComplete.MatchString(out) {
					t.Errorf("%s: exit code %d, want 2; %q\n%s", strings.Join(args, " "), code, saysComplete.FindString(out), stderr)
				}
				if code, _, stderr := runMain(t, os.Environ(), args[:len(args)-1]...); code != result.ExitOK {
					t.Errorf("%s: exit code %d, want 0\n%s", strings.Join(args[:len(args)-1], " "), code, stderr)
				}
			})
		}
	}
}

// splitFlags puts the format behind the words of a command.
func splitFlags(command string, args []string, format string) []string {
	if command == "attack" {
		return append([]string{args[0], "--format", format}, args[1:]...)
	}
	return append([]string{"--format", format}, args...)
}
