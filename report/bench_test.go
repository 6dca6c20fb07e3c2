package report

import (
	"fmt"
	"testing"

	"gauntlet/result"
)

// A meter counts and forgets.
type meter int64

func (m *meter) Write(p []byte) (int, error) { *m += meter(len(p)); return len(p), nil }

// big returns a report with n findings of the ordinary sort.
func big(n int) *result.Report {
	r := full()
	one := r.Findings[0]
	r.Findings = r.Findings[:0]
	for i := range n {
		f := one
		f.Location.Item = fmt.Sprintf("tool_%d", i/4)
		f.Fingerprint = fmt.Sprintf("%032x", i)
		r.Findings = append(r.Findings, f)
	}
	return r
}

// BenchmarkWrite reports megabytes of output a second for 100,000 findings.
func BenchmarkWrite(b *testing.B) {
	r := big(100_000)
	for _, f := range Formats() {
		b.Run(f.Name, func(b *testing.B) {
			b.ReportAllocs()
			var size meter
			for b.Loop() {
				size = 0
				if err := f.Write(&size, r, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(size))
		})
	}
}
