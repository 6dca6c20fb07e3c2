package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// threatTest matches what the last column of SECURITY.md names: a package and a test or a
// fuzz target of it, or the file of a script.
var threatTest = regexp.MustCompile("`([a-z0-9_/.-]+)(?: ((?:Test|Fuzz)[A-Za-z0-9_]+))?`")

// Every row of the table of threats names a test, and every test that it names exists.
func TestThreatsPage(t *testing.T) {
	page, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 3 || strings.Contains(line, "|---|") || strings.Contains(line, "| attacker |") {
			continue
		}
		rows++
		if len(cells) != 6 || strings.TrimSpace(cells[2]) == "" || strings.TrimSpace(cells[3]) == "" {
			t.Errorf("want attacker, attempt, defence, test: %s", line)
			continue
		}
		names := threatTest.FindAllStringSubmatch(cells[4], -1)
		if names == nil {
			t.Errorf("no test is named: %s", line)
		}
		for _, n := range names {
			if !testExists(t, n[1], n[2]) {
				t.Errorf("there is no %s: %s", n[0], line)
			}
		}
	}
	if rows < 20 {
		t.Errorf("only %d rows were read", rows)
	}
}

// testExists reports whether a package has a test of this name or, for the empty name, whether
// the file exists.
func testExists(t *testing.T, path, name string) bool {
	t.Helper()
	root := filepath.Join("../..", path)
	if name == "" {
		info, err := os.Stat(root)
		return err == nil && info.Mode().IsRegular()
	}
	files, err := filepath.Glob(filepath.Join(root, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
