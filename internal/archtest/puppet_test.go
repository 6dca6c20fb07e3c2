package archtest

import (
	"slices"
	"strings"
	"testing"
)

// A verdict on an agent without a model is worth something only if that agent cannot know
// what the attack looks for. What it may import, it may import through others as well.
func TestPuppetsKnowNoAttackAndNoModel(t *testing.T) {
	rows := map[string]row{}
	for _, r := range table {
		rows[r.path] = r
	}
	if rows["internal/runtime/simagent"].path == "" {
		t.Fatal("internal/runtime/simagent has no row")
	}
	seen := []string{"internal/runtime/simagent"}
	for i := 0; i < len(seen); i++ {
		for _, path := range rows[seen[i]].may {
			if strings.Contains(path, "*") {
				t.Errorf("%s may import %s, which says too little", seen[i], path)
			}
			if !slices.Contains(seen, path) {
				seen = append(seen, path)
			}
		}
	}
	for _, path := range seen {
		for _, part := range strings.Split(path, "/") {
			if slices.Contains([]string{"oatf", "attack", "attacks", "model", "models", "verdict"}, part) {
				t.Errorf("internal/runtime/simagent can reach %s", path)
			}
		}
	}
}
