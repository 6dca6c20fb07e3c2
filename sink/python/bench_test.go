//go:build cgo

package python

import (
	"testing"

	"gauntlet/sink/sinktest"
)

func BenchmarkAnalyse(b *testing.B) { sinktest.BenchmarkAnalyse(b, Reads, Analyse) }
