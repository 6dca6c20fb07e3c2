package report

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gauntlet/finding"
	"gauntlet/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func render(t testing.TB, format string, r *result.Report, opt Options) string {
	t.Helper()
	f, err := Formats().Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, r, opt); err != nil {
		t.Fatalf("writing %s: %v", format, err)
	}
	return b.String()
}

// TestGolden holds every format to what it makes of four reports, in testdata/NAME.txtar.
// The variants of pretty are further sections of its file.
func TestGolden(t *testing.T) {
	for _, f := range Formats() {
		t.Run(f.Name, func(t *testing.T) {
			got := new(txtar.Archive)
			add := func(section string, r *result.Report, opt Options) {
				text := strings.TrimRight(withoutAssets(render(t, f.Name, r, opt)), "\n") + "\n"
				got.Files = append(got.Files, txtar.File{Name: section, Data: []byte(text)})
			}
			add("full", full(), Options{})
			add("clean", clean(), Options{})
			add("attack", attacked(), Options{})
			add("attacks", suite(), Options{})
			if f.Name == defaultFormat {
				gate := &Gate{FailOn: finding.High}
				add("full at 80 columns", full(), Options{Width: 80, Gate: gate, Next: "gauntlet scan -v a.json"})
				add("full at 80 columns and 24 rows", full(), Options{Width: 80, Height: 24, Gate: gate})
				add("full at 100 columns", full(), Options{Width: 100, Gate: gate})
				add("full at 200 columns", full(), Options{Width: 200, Gate: gate})
				add("full in colour", full(), Options{Color: true, Width: 72})
				add("clean at 80 columns", clean(), Options{Width: 80, Gate: gate})
				add("full and verbose", full(), Options{Verbose: true, Width: 120})
			}
			path := filepath.Join("testdata", f.Name+".txtar")
			if *update {
				if err := os.WriteFile(path, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(txtar.Format(got)); text != string(want) {
				t.Errorf("%s differs; run go test ./report -update and read the diff. Got:\n%s", path, firstDifference(text, string(want)))
			}
		})
	}
}

var pageAssets = regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>|'sha256-[^']*'`)

// withoutAssets takes the style and the scripts out of a page: a golden shows what is made of a
// report.
func withoutAssets(text string) string {
	if !strings.HasPrefix(text, "<!DOCTYPE html>") {
		return text
	}
	return pageAssets.ReplaceAllString(text, "…")
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return Visible(g[i])
		}
	}
	return "(shorter than wanted)"
}

func TestSameInputGivesSameBytes(t *testing.T) {
	for _, name := range Formats().Names() {
		first := render(t, name, full(), Options{})
		for _, procs := range []int{1, 2, 8} {
			old := runtime.GOMAXPROCS(procs)
			again := render(t, name, full(), Options{})
			runtime.GOMAXPROCS(old)
			if again != first {
				t.Errorf("%s with GOMAXPROCS=%d differs from the first rendering", name, procs)
			}
		}
	}
}

func TestWritingLeavesTheReportAlone(t *testing.T) {
	for _, name := range Formats().Names() {
		r := full()
		r.Findings[0].Taxonomy, r.Summary.BySeverity = nil, nil
		render(t, name, r, Options{})
		if r.Findings[0].Taxonomy != nil || r.Summary.BySeverity != nil {
			t.Errorf("%s changed the report", name)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, f := range Formats() {
		if got, err := Formats().Lookup(f.Name); err != nil || got.Name != f.Name || got.Summary == "" {
			t.Errorf("Formats().Lookup(%q) = %q, %v, want the format with a summary", f.Name, got.Name, err)
		}
	}
	if want := []string{"pretty", "html", "json", "junit", "markdown", "sarif"}; !slices.Equal(Formats().Names(), want) {
		t.Errorf("Formats().Names() = %q, want %q", Formats().Names(), want)
	}
	_, err := Formats().Lookup("SARIF")
	if want := `unknown format "SARIF": want one of pretty, html, json, junit, markdown, sarif`; err == nil || err.Error() != want {
		t.Errorf("Formats().Lookup(SARIF): error %v, want %s", err, want)
	}
}

// A widest remembers the longest single write.
type widest int

func (w *widest) Write(p []byte) (int, error) { *w = max(*w, widest(len(p))); return len(p), nil }

func TestReportsAreStreamed(t *testing.T) {
	r := big(20_000) // more than 10 MB of JSON
	for _, f := range Formats() {
		var w widest
		if err := f.Write(&w, r, Options{}); err != nil {
			t.Fatal(err)
		}
		if w > 64<<10 {
			t.Errorf("%s hands over %d bytes at once, want no more than its buffer of 64 KiB", f.Name, w)
		}
	}
}

// A fullDisk fails after a few bytes.
type fullDisk struct{ left int }

var errDisk = errors.New("no space left")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestWriteErrorsComeBack(t *testing.T) {
	r := full()
	for len(r.Findings) < 2000 { // more than the buffer holds
		r.Findings = append(r.Findings, r.Findings...)
	}
	for _, f := range Formats() {
		var size meter
		if err := f.Write(&size, r, Options{Verbose: true}); err != nil {
			t.Fatal(err)
		}
		for _, room := range []int{0, min(70_000, int(size)-1)} { // markdown is never longer
			if err := f.Write(&fullDisk{room}, r, Options{Verbose: true}); !errors.Is(err, errDisk) {
				t.Errorf("%s with room for %d bytes: error %v, want %v", f.Name, room, err, errDisk)
			}
		}
	}
}
