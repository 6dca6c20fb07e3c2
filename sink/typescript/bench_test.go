//go:build cgo

package typescript

import (
	"testing"

	"gauntlet/sink/sinktest"
)

func BenchmarkAnalyse(b *testing.B) { sinktest.BenchmarkAnalyse(b, Reads, Analyse) }
