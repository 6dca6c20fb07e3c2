package text

import "testing"

// sentence is prose that looks like base64 in groups until it is decoded.
const sentence = "Exports the first 100 rows of the table as text"

// BenchmarkBlobs measures the search for encodings in ordinary prose.
func BenchmarkBlobs(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Blobs(sentence)
	}
}

func TestProseCostsFewAllocations(t *testing.T) {
	if got := testing.AllocsPerRun(100, func() { Blobs(sentence) }); got > 4 {
		t.Errorf("Blobs(%q) allocates %v times, want at most 4", sentence, got)
	}
}
