package python

import (
	"testing"

	"gauntlet/internal/engine/lang/langtest"
)

func BenchmarkAnalyse(b *testing.B) { langtest.BenchmarkAnalyse(b, Reads, Analyse) }
