//go:build ignore

// Gen copies gitleaks' rules and licence from its Go module into data/. Run it with "go generate" after changing gitleaksModule in
// pin.go.
package main

import (
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

func main() {
	pin, err := os.ReadFile("pin.go")
	if err != nil {
		log.Fatal(err)
	}
	m := regexp.MustCompile(`gitleaksModule = "([^"]+)"`).FindSubmatch(pin)
	if m == nil {
		log.Fatal("pin.go: no gitleaksModule")
	}
	cmd := exec.Command("go", "mod", "download", "-json", string(m[1]))
	cmd.Dir = os.TempDir() // outside our module: the download must not touch our go.sum
	out, err := cmd.Output()
	if err != nil {
		log.Fatalf("go mod download: %v\n%s", err, out)
	}
	var mod struct{ Dir string }
	if err := json.Unmarshal(out, &mod); err != nil {
		log.Fatal(err)
	}
	for from, to := range map[string]string{"config/gitleaks.toml": "gitleaks.toml", "LICENSE": "gitleaks.LICENSE"} {
		b, err := os.ReadFile(filepath.Join(mod.Dir, from))
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("data", to), b, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
