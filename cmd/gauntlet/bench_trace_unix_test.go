//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"gauntlet/rawjson"
	"gauntlet/trace"
)

// BenchmarkTrace measures the whole process that judges a recorded conversation: 100,000
// messages of about 2,000 bytes. ordinary is text of many words, one result in a thousand
// going on to another server; repetitive says a few sentences again and again; hostile is one
// letter in all lengths. docs/figures.md has the table.
func BenchmarkTrace(b *testing.B) {
	dir := b.TempDir()
	bin := filepath.Join(dir, "gauntlet")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	for _, kind := range []string{"ordinary", "repetitive", "hostile"} {
		b.Run(kind, func(b *testing.B) {
			in, out := filepath.Join(dir, "in.ndjson"), filepath.Join(dir, "out.json")
			size := writeTrace(b, in, kind, 100_000)
			var peak int64
			var busy time.Duration
			for b.Loop() {
				cmd := exec.Command(bin, "scan", "--fail-on", "none", "--allow-partial", "--format", "json", "--output", out, "--trace", in)
				if msg, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("scan: %v\n%s", err, msg)
				}
				peak = max(peak, int64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss))
				busy += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
			if runtime.GOOS != "darwin" {
				peak *= 1024 // kilobytes everywhere but there
			}
			b.ReportMetric(float64(peak)/1e6, "max-MB")
			b.ReportMetric(float64(size)/1e6, "file-MB")
			b.ReportMetric(busy.Seconds()/float64(b.N), "processor-s")
		})
	}
}

// writeTrace writes a conversation of one agent with four servers.
func writeTrace(b *testing.B, path, kind string, messages int) int64 {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	buf := bufio.NewWriterSize(f, 1<<20)
	w, err := trace.NewWriter(buf, "a benchmark")
	if err != nil {
		b.Fatal(err)
	}
	rec := trace.NewRecorder(w.Write, trace.RecorderOptions{})
	rng := rand.New(rand.NewPCG(1, 2))
	text := texts(kind, rng)
	put := func(m trace.Message) {
		m.Role = trace.Between
		if _, err := rec.Record(m); err != nil {
			b.Fatal(err)
		}
	}
	last := ""
	for i := range messages / 2 {
		server, id := fmt.Sprintf("server-%d", rng.IntN(4)), fmt.Sprint(i)
		argument := text(1000)
		if i%1000 == 999 {
			argument += last
		}
		put(trace.Message{Server: server, Direction: trace.ToServer, Kind: trace.Request, ID: id, Method: "tools/call",
			Raw: fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"tool_%d","arguments":{"query":%s,"limit":%d}}}`, id, rng.IntN(20), quote(argument), rng.IntN(100))})
		last = text(200)
		put(trace.Message{Server: server, Direction: trace.ToClient, Kind: trace.Response, ID: id,
			Raw: fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}],"structuredContent":{"title":%s,"rows":[{"name":%s,"n":%d},{"name":%s,"n":%d}]}}}`,
				id, quote(text(2000)), quote(last), quote(text(30)), rng.IntN(1e6), quote(text(30)), rng.IntN(1e6))})
	}
	if err := errors.Join(w.End(trace.End{}), buf.Flush()); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

func quote(s string) string { return rawjson.Quote(s) }

// texts returns a maker of texts of about n bytes.
func texts(kind string, rng *rand.Rand) func(n int) string {
	words := make([]string, 20_000)
	for i := range words {
		word := make([]byte, 2+rng.IntN(9))
		for j := range word {
			word[j] = "etaoinshrdlucmfwypvbgkjqxz"[min(rng.IntN(26), rng.IntN(26))]
		}
		words[i] = string(word)
	}
	return func(n int) string {
		if kind == "hostile" {
			return strings.Repeat("a", n/2+rng.IntN(n))
		}
		var t strings.Builder
		for t.Len() < n {
			if kind == "repetitive" {
				t.WriteString(sentences[rng.IntN(len(sentences))])
			} else {
				t.WriteString(words[min(rng.IntN(len(words)), rng.IntN(len(words)), rng.IntN(len(words)))])
			}
			t.WriteString([]string{" ", " ", " ", " ", ", ", ".\n", "\n\n- ", " \""}[rng.IntN(8)])
		}
		return t.String()
	}
}
