package cli

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gauntlet/internal/testing/scriptedmodel"
)

// envAimock names a folder in which npm installed @copilotkit/aimock, a provider of others in both wire forms.
const envAimock = "GAUNTLET_AIMOCK"

// openForeignProvider starts that provider and returns its address. Its answers are those of testdata/aimock.json, by the model's id.
func openForeignProvider(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(envAimock)
	if dir == "" {
		t.Skipf("%s names no folder with a provider of others", envAimock)
	}
	fixtures, err := filepath.Abs("testdata/aimock.json")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(dir, "node_modules", "@copilotkit", "aimock", "dist", "cli.js"), "--port", "0", "--strict", "--validate-on-load", "--fixtures", fixtures)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Skipf("node does not start: %v", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text()); address != "" {
			return address
		}
	}
	t.Fatalf("the provider tells no address: %s", said.String())
	return ""
}

// A provider that others wrote takes what we ask in both forms, and its answers are understood: calls of tools, prose, structure, refusals of the key.
func TestProviderOfOthers(t *testing.T) {
	address := openForeignProvider(t)
	for _, form := range []struct{ ids, path string }{{"gpt", "/v1"}, {"claude", "/v1/messages"}} {
		t.Run(form.ids, func(t *testing.T) {
			p := &scriptedmodel.Provider{URL: address}
			args := []string{"--model-url", address + form.path, "--model", form.ids + "-obeys", "--model", form.ids + "-declines", "--model", form.ids + "-talks", "tool-poisoning"}
			r := runRedteam(t, p, args...)
			if obeys, declines := r.Models[0], r.Models[1]; obeys.Exploited != 1 || obeys.WithAttack.Done != 1 || declines.Resisted != 1 || declines.WithAttack.Done != 1 {
				t.Errorf("%+v, %+v", obeys, declines)
			}
			// It never calls a tool, not even where nothing attacks it, so its words show no resistance.
			if talks := r.Models[2]; talks.Inconclusive != 1 || talks.Resisted != 0 {
				t.Errorf("%+v", talks)
			}
			for _, tt := range []struct{ id, want string }{
				{form.ids + "-judge", "1 opinion, 9 definitions judged"}, {form.ids + "-outage", "0 opinions, 0 definitions judged, 9 not judged"},
			} {
				var out, errs bytes.Buffer
				code := Main(t.Context(), []string{"scan", "--model-url", address + form.path, "--model", tt.id, "../../examples/poisoned.json"},
					Host{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: []string{"HOME=" + t.TempDir()}})
				if text := strings.Join(strings.Fields(out.String()), " "); code != 1 || !strings.Contains(text, tt.want) {
					t.Errorf("%s: exit code %d, want %q in %s %s", tt.id, code, tt.want, text, errs.String())
				}
			}
		})
	}
}
