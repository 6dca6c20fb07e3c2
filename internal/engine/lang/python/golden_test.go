package python

import (
	"testing"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/testing/langtest"
)

var update = langtest.Update()

func TestGolden(t *testing.T) { langtest.Golden(t, *update, Analyse) }

func TestTable(t *testing.T) {
	if _, err := callgraph.ParseTable(table); err != nil {
		t.Fatal(err)
	}
}
