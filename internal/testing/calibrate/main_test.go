package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gauntlet/internal/testing/scriptedmodel"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"calibrate": main}) }

// TestScripts runs the command on small corpora: what it prints, what it refuses, and what it asks of models.
func TestScripts(t *testing.T) {
	models := scriptedmodel.Start()
	t.Cleanup(models.Close)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("MODELS", models.URL)
			return nil
		},
	})
}
