package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"gauntlet/catalog"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
)

// A copy of the test binary with this variable plays the snapshot in the file it names
// over its standard streams, in the revision that follows and in pages of that size.
const envPlay = "GAUNTLET_TEST_PLAY"

// noRaceSleep is for processes of a test with -race, which would sleep a second before
// they end.
const noRaceSleep = "GORACE=atexit_sleep_ms=0"

// corpus returns the snapshots of real servers: the files in the directory named by
// GAUNTLET_CORPUS, or in its directory snapshots. It skips the test where there are none.
func corpus(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("GAUNTLET_CORPUS")
	if dir == "" {
		t.Skip("GAUNTLET_CORPUS does not name a directory of snapshots")
	}
	for _, d := range []string{filepath.Join(dir, "snapshots"), dir} {
		if files, err := filepath.Glob(filepath.Join(d, "*.json")); err == nil && len(files) > 0 {
			return files
		}
	}
	t.Fatal("there are no snapshots in GAUNTLET_CORPUS")
	return nil
}

func TestMain(m *testing.M) {
	if play := os.Getenv(envPlay); play != "" {
		parts := strings.Split(play, "|")
		text, err := os.ReadFile(parts[0])
		if err == nil {
			size, _ := strconv.Atoi(parts[2])
			opt := Options{PageSize: size}
			if parts[1] != "" {
				opt.Revisions = []string{parts[1]}
			}
			var s *Server
			if s, err = load(string(text), opt); err == nil {
				err = s.Stdio(context.Background(), os.Stdin, os.Stdout)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { os.Exit(code) }))
}

func load(snapshot string, opt Options) (*Server, error) {
	c, err := catalog.Parse("snapshot.json", snapshot, catalog.Limits{})
	if err != nil {
		return nil, err
	}
	s, err := Pick(c, "")
	if err != nil {
		return nil, err
	}
	return New(FromSnapshot(s), opt)
}

func play(t testing.TB, snapshot string, opt Options) *Server {
	t.Helper()
	s, err := load(snapshot, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// said is what a server said, each value without white space between tokens. encoding/json
// is the judge of both sides here: no code of ours decides what is equal.
type said struct {
	lists        map[string][]string
	present      map[string]bool
	instructions []string
	capabilities []string
}

// read takes a snapshot apart.
func read(t testing.TB, snapshot string) said {
	t.Helper()
	out := said{lists: map[string][]string{}, present: map[string]bool{}}
	var nested said
	each(t, snapshot, func(name, value string) {
		switch name {
		case "resource_templates":
			name = "resourceTemplates"
			fallthrough
		case "tools", "prompts", "resources", "resourceTemplates":
			if value == "null" {
				return
			}
			out.present[name] = true
			var items []json.RawMessage
			if err := json.Unmarshal([]byte(value), &items); err != nil {
				t.Fatal(err)
			}
			for _, item := range items {
				out.lists[name] = append(out.lists[name], tight(t, string(item)))
			}
		case "instructions":
			if value != "null" {
				out.instructions = append(out.instructions, tight(t, value))
			}
		case "capabilities":
			if value == "null" {
				return
			}
			out.capabilities = append(out.capabilities, tight(t, value))
		case "server":
			each(t, value, func(name, value string) {
				if name == "capabilities" && value != "null" {
					nested.capabilities = append(nested.capabilities, tight(t, value))
				}
			})
		}
	})
	if out.capabilities == nil {
		out.capabilities = nested.capabilities
	}
	return out
}

// each calls f for every member of an object, repeated ones too.
func each(t testing.TB, object string, f func(name, value string)) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			t.Fatal(err)
		}
		f(name.(string), string(value))
	}
}

func tight(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A way is one transport, the revision spoken over it and the form of the answers.
type way struct {
	name     string
	revision string // "" for all
	opt      Options
	dial     func(t testing.TB, s *Server, way way, snapshot string) (wire.Conn, func())
}

// ways are all combinations of transports and revisions.
func ways() (out []way) {
	for i, r := range append(mcp.Revisions(), "") {
		add := func(name string, opt Options, dial func(testing.TB, *Server, way, string) (wire.Conn, func())) {
			if r != "" {
				opt.Revisions = []string{r}
			}
			out = append(out, way{name + " " + r, r, opt, dial})
		}
		size := []int{0, 3}[i%2]
		add("pipe", Options{PageSize: size}, dialPipe)
		add("process", Options{PageSize: size}, dialProcess)
		add("http json", Options{PageSize: size}, dialHTTP)
		add("http events", Options{PageSize: 3 - size, Streams: true, IdleStream: true}, dialHTTP)
		if r != "2026-07-28" {
			add("http+sse", Options{PageSize: size}, dialSSE)
		}
	}
	return out
}

func dialPipe(t testing.TB, s *Server, _ way, _ string) (wire.Conn, func()) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Stdio(context.Background(), in, out) }()
	conn := wire.NewStream(fromServer, toServer, wire.Limits{}, nil)
	return conn, func() {
		_ = conn.Close()
		if err := <-ended; err != nil {
			t.Errorf("Stdio: %v", err)
		}
	}
}

func dialProcess(t testing.TB, s *Server, w way, snapshot string) (wire.Conn, func()) {
	file := filepath.Join(t.TempDir(), "snapshot.json")
	if err := os.WriteFile(file, []byte(snapshot), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := wire.Start(wire.Command{
		Args: []string{os.Args[0]}, Environ: os.Environ(),
		Env: []string{fmt.Sprintf("%s=%s|%s|%d", envPlay, file, w.revision, s.opt.PageSize), "GOCOVERDIR=" + t.TempDir(), noRaceSleep},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, func() { _ = p.Close() }
}

// listen serves over HTTP until stop is called, which fails the test if Serve does.
func listen(t testing.TB, s *Server) (base string, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.HTTP(ctx, ln) }()
	return "http://" + ln.Addr().String(), sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("HTTP: %v", err)
		}
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
}

func dialHTTP(t testing.TB, s *Server, _ way, _ string) (wire.Conn, func()) {
	return dialURL(t, s, Path, false)
}

func dialSSE(t testing.TB, s *Server, _ way, _ string) (wire.Conn, func()) {
	return dialURL(t, s, PathSSE, true)
}

func dialURL(t testing.TB, s *Server, path string, sse bool) (wire.Conn, func()) {
	base, stop := listen(t, s)
	e := wire.Endpoint{URL: base + path, SSE: sse}
	conn, err := wire.Dial(e)
	if err != nil {
		t.Fatal(err)
	}
	return conn, func() {
		_ = conn.Close()
		stop()
	}
}

// capture returns the snapshot of serve(snapshot), and the revision that was spoken.
func capture(t testing.TB, w way, snapshot string) (string, string) {
	t.Helper()
	s := play(t, snapshot, w.opt)
	conn, end := w.dial(t, s, w, snapshot)
	defer end()
	got, err := mcpclient.Capture(t.Context(), conn, mcpclient.Options{Pages: 1 << 20})
	if err != nil {
		t.Fatalf("%s: %v", w.name, err)
	}
	for _, g := range got.Errors {
		if !g.Absent {
			t.Errorf("%s: %s: %s", w.name, g.Method, g.Message)
		}
	}
	return string(got.Bytes()), got.Revision
}

func wantSame(t *testing.T, w way, got, want said) {
	t.Helper()
	for name, items := range want.lists {
		if !slices.Equal(got.lists[name], items) {
			t.Errorf("%s: %s differ", w.name, name)
		}
	}
	if fmt.Sprint(got.present) != fmt.Sprint(want.present) {
		t.Errorf("%s: lists %v, want %v", w.name, got.present, want.present)
	}
	if !slices.Equal(got.instructions, want.instructions) {
		t.Errorf("%s: instructions %q, want %q", w.name, got.instructions, want.instructions)
	}
	if want.capabilities != nil && !slices.Equal(got.capabilities, want.capabilities) {
		t.Errorf("%s: capabilities %q, want %q", w.name, got.capabilities, want.capabilities)
	}
}

func roundTrip(t *testing.T, snapshot string) (n int) {
	want := read(t, snapshot)
	for _, w := range ways() {
		got, revision := capture(t, w, snapshot)
		if w.revision != "" && revision != w.revision {
			t.Errorf("%s: spoke %s", w.name, revision)
		}
		wantSame(t, w, read(t, got), want)
		n++
		if w.revision != "" {
			continue
		}
		// What was captured is a snapshot that is served without any loss at all.
		if again, _ := capture(t, w, got); again != got {
			t.Errorf("%s: the second capture differs from the first", w.name)
		}
	}
	return n
}

func TestRoundTripOfCorpus(t *testing.T) {
	files := corpus(t)
	var n, pairs int
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			if k := roundTrip(t, string(text)); !t.Failed() {
				pairs += k
				n++
			}
		})
	}
	t.Logf("%d of %d snapshots identical, in %d combinations of transport and revision each: %d round trips", n, len(files), len(ways()), pairs)
}

// nasty are snapshots in which something is lost by whoever decodes and encodes again.
var nasty = map[string]string{
	"repeated keys": `{"protocolVersion":"2025-11-25","server":{"name":"a","version":"1"},"server":{"name":"b","version":"2"},
		"capabilities":{"tools":{},"tools":{"x":1}},"capabilities":{},"instructions":"one","instructions":"two",
		"tools":[{"name":"a","name":"b","description":"x","description":"y","inputSchema":{"type":"object","type":"array"}}]}`,
	"numbers":     `{"capabilities":{"n":1E400,"m":-0.0},"tools":[{"name":"n","a":12345678901234567890123456789,"b":1.0,"c":1e0,"d":-0,"e":0.10000000000000000000001,"f":1E+2}]}`,
	"surrogates":  `{"instructions":"\ud800 \udc00 \ud83d\ude00 \uDBFF","tools":[{"name":"\udfff","description":"\ud800x","\ud801":"\u0000"}]}`,
	"escapes":     `{"instructions":"\u0061\/\b\f\n\r\t\"\\ <>&\u2028\u2029","tools":[{"n\u0061me":"t","description":"\u00e9\u00E9é"}]}`,
	"unicode":     "{\"instructions\":\"\u2028\u2029\u200b\ufeff\U000e0041\u202e😀\",\"tools\":[{\"name\":\"t\u00a0\",\"description\":\"e\u0301\u0000x\"}]}",
	"white space": "{\r\n\t\"instructions\" : \" a  b \\n \",\n\"capabilities\" :\t{ \"a\" : [ 1 ,\r\n2 , [ ] , { } ] } , \"tools\" : [ {\r\"name\" : \"t t\" ,\n\n\"x\":\"{ \\\" : , \\\\\" } ,\n { } ] }",
	"bad UTF-8":   "{\"instructions\":\"\xff\xfe \xc0\xaf\",\"tools\":[{\"name\":\"\xed\xa0\x80\"}]}",
	"deep":        `{"tools":[{"name":"deep","inputSchema":` + strings.Repeat(`{"a":[`, 2000) + strings.Repeat(`]} `, 2000) + `}]}`,
	"empty lists": `{"tools":[],"prompts":[],"resources":[],"resourceTemplates":[]}`,
	"no lists":    `{"instructions":"only words"}`,
	"one list":    `{"resourceTemplates":[{"uriTemplate":"a:{b}","name":"x"}]}`,
	"null lists":  `{"tools":null,"prompts":[{"name":"p"}],"instructions":null,"capabilities":null}`,
	"no objects":  `{"tools":[1,"two",null,[3],true,{}],"prompts":[{"name":null}]}`,
	"odd words":   `{"protocolVersion":"2025-11-25","capabilities":[ 1 ],"instructions":{"not":"text"},"tools":[{"name":"t"}]}`,
	"empty name":  `{"tools":[{"name":""},{"name":"t"},{"name":"t"}],"resource_templates":[{"uriTemplate":""}]}`,
	"our words":   `{"tools":[{"name":"t","nextCursor":"x","_meta":{"io.modelcontextprotocol/serverInfo":1},"resultType":"input_required","jsonrpc":"1.0"}]}`,
	"members":     `{"server":{"name":"s","version":"1","protocolVersion":7,"serverInfo":{"name":"inner","version":"2"},"capabilities":{"tools":{"listChanged":true}, "z":0, "a":0}},"tools":[]}`,
	"unreadable":  "{\"tools\":[{\"name\":\"" + strings.Repeat("long ", 100_000) + "\"}]}",
}

func TestRoundTripOfNastyThings(t *testing.T) {
	for name, snapshot := range nasty {
		t.Run(name, func(t *testing.T) {
			if name == "unicode" {
				snapshot = strings.ReplaceAll(snapshot, "\x00", `\u0000`)
			}
			roundTrip(t, snapshot)
		})
	}
}
