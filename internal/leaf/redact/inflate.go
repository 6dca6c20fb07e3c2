package redact

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"io"
)

// mostInflated bounds the decompressed size of one part, in bytes, and mostTried the parts tried in a text.
const (
	mostInflated = 1 << 20
	mostTried    = 64
)

// inflated calls found with the decompressed parts of a view, at most limit bytes of each: gzip, zlib and bzip2, even if truncated.
// Each byte stands for the whole part.
func (v *view) inflated(limit int, found func(view)) {
	tried := 0
	for i := 0; i+6 < len(v.text) && tried < mostTried; i++ {
		rest := v.text[i:]
		var in io.Reader
		var err error
		from := bytes.NewReader(rest)
		switch {
		case rest[0] == 0x1f && rest[1] == 0x8b && rest[2] == 8:
			in, err = gzip.NewReader(from)
		case rest[0] == 0x78 && (rest[1] == 0x01 || rest[1] == 0x5e || rest[1] == 0x9c || rest[1] == 0xda):
			in, err = zlib.NewReader(from)
		case rest[0] == 'B' && rest[1] == 'Z' && rest[2] == 'h' && rest[4] == 0x31 && rest[5] == 0x41:
			in = bzip2.NewReader(from)
		default:
			continue
		}
		tried++
		if err != nil {
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(in, int64(min(limit, mostInflated)))) // what came before an error counts
		if len(text) < Shortest {
			continue
		}
		start, _ := v.sourceSpan(i, i+1)
		_, end := v.sourceSpan(len(v.text)-from.Len()-1, len(v.text)-from.Len())
		d := decoder{of: v}
		for _, c := range text {
			d.addByte(c, start, end)
		}
		found(d.out)
	}
}
