package liveview

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzPage: any JSON gives a page or an error, no panic, and what it holds is text on the page: the
// mark that every seed has within markup never stands in a tag that the page has open.
func FuzzPage(f *testing.F) {
	const evil = `<zq7 onload=1></script><zq7>`
	quoted := strings.ReplaceAll(evil, `"`, `\"`)
	for _, seed := range []string{
		`{"schema_version":"1.0","findings":[{"rule_id":"EVIL","severity":"high","message":"EVIL","fingerprint":"EVIL","evidence":{"raw":"EVIL"},"location":{"server":"EVIL","item":"EVIL"}}]}`,
		`{"schema_version":"1.0","findings":[],"attacks":[{"name":"EVIL","agent":"EVIL","verdict":null}],"coverage":{"servers":[{"server":"EVIL"}]},"problems":[{"message":"EVIL"}]}`,
		`{"schema_version":"1.0","findings":null,"servers":[{"name":"EVIL","state":"changed","items":[{"kind":"tool","name":"EVIL","parts":[{"member":"EVIL","text":[{"op":"insert","text":"EVIL"}]}]}]}]}`,
		`{"schema_version":"1.0","models":[{"model":"EVIL"}]}`,
		"{\"gauntlet_run\":\"1.0\",\"command\":\"EVIL\"}\n{\"step\":\"EVIL\"}\n",
		`{"schema_version":"EVIL"}`, `[]`, `null`,
	} {
		f.Add(strings.ReplaceAll(seed, "EVIL", quoted))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasPrefix(text, "<!DOCTYPE html>") {
			t.Skip("a page is shown as it is")
		}
		file := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var page strings.Builder
		if WritePage(&page, file) != nil {
			return
		}
		if strings.Contains(page.String(), "<zq7") {
			t.Error("text became markup")
		}
		if n := strings.Count(page.String(), "<script"); n > 2 {
			t.Errorf("%d scripts, want that of the page and that of its graph at most", n)
		}
		if n := strings.Count(page.String(), "</script"); n > 2 {
			t.Errorf("%d scripts end", n)
		}
	})
}
