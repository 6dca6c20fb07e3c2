// Package opcount counts the statements that run, as Go's coverage counts them: a guard against
// quadratic time that asks no clock. Nothing in what is counted has to count, and no loop can be
// forgotten. What one call of the standard library, or of a package that is not named, does is one
// step. Tests only.
package opcount

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A Counter is a test binary of the package whose test makes it, in which every block of
// statements of some packages counts how often it runs. It is safe for use by several goroutines.
type Counter struct{ binary, dir string }

// New builds the binary. packages are paths as go test -coverpkg takes them.
func New(t *testing.T, packages ...string) *Counter {
	t.Helper()
	c := &Counter{dir: t.TempDir()}
	c.binary = filepath.Join(c.dir, "steps.test")
	build := exec.Command("go", "test", "-c", "-covermode=count", "-coverpkg="+strings.Join(packages, ","), "-o", c.binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return c
}

// Count runs one test in a process of its own, with a variable of the form NAME=VALUE in its
// environment that says what it is to do, and returns the statements that ran.
func (c *Counter) Count(t *testing.T, test, variable string) int {
	t.Helper()
	f, err := os.CreateTemp(c.dir, "*.cover")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command(c.binary, "-test.run=^"+test+"$", "-test.coverprofile="+f.Name())
	cmd.Env = append(os.Environ(), variable)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", variable, err, out)
		return 0
	}
	n, err := total(f.Name())
	if err != nil {
		t.Errorf("%s: %v", variable, err)
	}
	return n
}

// total adds up a profile of coverage, whose lines are file:line.column,line.column statements count.
func total(profile string) (int, error) {
	f, err := os.Open(profile)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n := 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 {
			continue // the mode, in the first line
		}
		statements, err1 := strconv.Atoi(fields[1])
		count, err2 := strconv.Atoi(fields[2])
		if err := errors.Join(err1, err2); err != nil {
			return 0, fmt.Errorf("profile %q: %w", lines.Text(), err)
		}
		n += statements * count
	}
	return n, lines.Err()
}
