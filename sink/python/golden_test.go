//go:build cgo

package python

import (
	"testing"

	"gauntlet/internal/reach"
	"gauntlet/sink/sinktest"
)

var update = sinktest.Update()

func TestGolden(t *testing.T) { sinktest.Golden(t, *update, Analyse) }

func TestTable(t *testing.T) {
	if _, err := reach.ParseTable(table); err != nil {
		t.Fatal(err)
	}
}
