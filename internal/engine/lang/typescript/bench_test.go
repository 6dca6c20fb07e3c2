package typescript

import (
	"testing"

	"gauntlet/internal/testing/langtest"
)

func BenchmarkAnalyse(b *testing.B) { langtest.BenchmarkAnalyse(b, Reads, Analyse) }
