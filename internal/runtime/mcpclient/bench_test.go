package mcpclient

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"gauntlet/internal/runtime/wire"
)

// BenchmarkCapture reads 1,000 tools in 10 pages over pipes inside the process, where
// nothing is measured but us.
func BenchmarkCapture(b *testing.B) {
	const tools, pages = 1_000, 10
	tool := `{"name":"read_file","description":"Reads a file from the workspace and returns its text.",` +
		`"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Absolute path"}},"required":["path"]}}`
	page := strings.Repeat(tool+",", tools/pages-1) + tool
	b.ReportAllocs()
	b.SetBytes(int64(len(page) * pages))
	for b.Loop() {
		cr, sw := io.Pipe()
		sr, cw := io.Pipe()
		done := make(chan struct{})
		// Ends when the client's side of the pipe is closed.
		go func() {
			defer close(done)
			answerPages(sr, sw, page, pages)
		}()
		conn := wire.NewStream(cr, cw, wire.Limits{}, nil)
		s, err := Capture(b.Context(), conn, Options{})
		if err != nil || len(s.Lists[0].Items) != tools {
			b.Fatal(err)
		}
		if n := len(s.Bytes()); n < len(page)*pages {
			b.Fatalf("%d bytes", n)
		}
		conn.Close()
		<-done
	}
	b.ReportMetric(float64(tools*b.N)/b.Elapsed().Seconds(), "tools/s")
}

func answerPages(r io.Reader, w io.Writer, page string, pages int) {
	in := bufio.NewScanner(r)
	for id, n := 0, 0; in.Scan(); {
		if !bytes.Contains(in.Bytes(), []byte(`"id":`)) {
			continue
		}
		id++
		switch {
		case id == 1:
			fmt.Fprintf(w, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":%s}\n", id, initResult)
		case bytes.Contains(in.Bytes(), []byte("tools/list")):
			next := ""
			if n++; n < pages {
				next = fmt.Sprintf(`,"nextCursor":"%d"`, n)
			}
			fmt.Fprintf(w, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[%s]%s}}\n", id, page, next)
		default:
			fmt.Fprintf(w, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n", id)
		}
	}
}
