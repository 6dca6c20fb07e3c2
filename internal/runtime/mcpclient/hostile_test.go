package mcpclient

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The servers of these tests are this binary, started again with the name of a server in
// its environment.
const (
	envServer = "GAUNTLET_TEST_SERVER"
	envAlive  = "GAUNTLET_TEST_ALIVE" // address that shows by an open connection that we live
)

func TestMain(m *testing.M) {
	if name := os.Getenv(envServer); name != "" {
		serve(name)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func serve(name string) {
	// The kernel closes this connection when the process ends, however it ends.
	if addr := os.Getenv(envAlive); addr != "" {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(99)
		}
		defer conn.Close()
	}
	switch name {
	case "go-sdk":
		serveSDK(sdkServer())
		return
	case "go-sdk thousand":
		serveSDK(thousandTools())
		return
	case "conformance": // the client of conformance_test.go
		if err := conform(os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	s := &server{in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout)}
	servers[name](s)
	s.out.Flush()
}

// server is the plumbing of a scripted server.
type server struct {
	in  *bufio.Reader
	out *bufio.Writer
}

// newServer is one that only writes.
func newServer(w io.Writer) *server {
	return &server{in: bufio.NewReader(strings.NewReader("")), out: bufio.NewWriter(w)}
}

type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Cursor string
		Meta   map[string]any `json:"_meta"`
	}
	Result json.RawMessage
	Error  json.RawMessage
}

func (s *server) read() (request, bool) {
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		return request{}, false
	}
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		fmt.Fprintln(os.Stderr, "bad request:", err)
		os.Exit(98)
	}
	return r, true
}

func (s *server) write(line string) {
	s.out.WriteString(line + "\n")
	if s.out.Flush() != nil {
		os.Exit(0)
	}
}

func (s *server) result(r request, result string) {
	s.write(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":` + result + `}`)
}

func (s *server) fail(r request, code int, msg string) {
	text, _ := json.Marshal(msg)
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, r.ID, code, text))
}

// each answers requests until stdin ends, and reads over answers. Where answer returns
// false, honest answers.
func (s *server) each(answer func(r request) bool) {
	for {
		r, ok := s.read()
		if !ok {
			return
		}
		if r.ID != nil && r.Method != "" && !answer(r) {
			s.honest(r)
		}
	}
}

const initResult = `{"protocolVersion":"2025-11-25", "capabilities":{"tools":{},"prompts":{},"resources":{}},` +
	`"serverInfo":{"name":"demo","version":"1"},"instructions":"Be \u006bind."}`

// honest answers as a good server does, with three pages in each list.
func (s *server) honest(r request) {
	switch r.Method {
	case "initialize":
		s.result(r, initResult)
	case "tools/list":
		s.page(r, "tools", `{"name": "t%d",  "inputSchema":{"type":"object"}, "n":1.0}`)
	case "prompts/list":
		s.page(r, "prompts", `{"name":"p%d"}`)
	case "resources/list":
		s.page(r, "resources", `{"uri":"file:///%d","name":"r"}`)
	case "resources/templates/list":
		s.page(r, "resourceTemplates", `{"uriTemplate":"file:///%d/{x}","name":"rt"}`)
	default:
		s.fail(r, -32601, "Method not found")
	}
}

func (s *server) page(r request, member, item string) {
	n := map[string]int{"": 1, "two": 2, "three": 3}[r.Params.Cursor]
	next := map[int]string{1: `,"nextCursor":"two"`, 2: `,"nextCursor":"thr\u0065e"`}[n]
	s.result(r, `{"`+member+`":[`+fmt.Sprintf(item, n)+`]`+next+`}`)
}

func (r request) is(method, cursor string) bool {
	return r.Method == method && r.Params.Cursor == cursor
}

// forever keeps the process until it is killed; stdin's end does not end it.
func forever() { time.Sleep(time.Hour) }

// A server whose first deed is something to be answered differently by method.
func on(method, cursor string, do func(s *server, r request)) func(*server) {
	return func(s *server) {
		s.each(func(r request) bool {
			if !r.is(method, cursor) {
				return false
			}
			do(s, r)
			return true
		})
	}
}

var servers = map[string]func(*server){
	"honest":             func(s *server) { s.each(func(request) bool { return false }) },
	"hang at initialize": on("initialize", "", func(*server, request) {}),
	"hang at page 2":     on("tools/list", "two", func(*server, request) {}),
	"garbage": func(s *server) {
		s.write("Server starting…")
		s.each(func(r request) bool {
			s.write("\x1b[32mINFO\x1b[0m \xff " + strings.Repeat("x", 600))
			s.write(`{"level":"info","id":1,"msg":"structured"}`)
			s.write("")
			s.write("[INFO] done")
			return false
		})
	},
	"100 MB line": on("prompts/list", "", func(s *server, r request) {
		s.out.WriteString(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":{"prompts":["`)
		for range 100 {
			s.out.Write(bytes.Repeat([]byte("A"), 1<<20))
		}
		s.write(`"]}}`)
	}),
	"noise flood": on("tools/list", "two", func(s *server, r request) {
		for {
			s.write("tick")
		}
	}),
	"endless line": on("initialize", "", func(s *server, r request) {
		for {
			if _, err := s.out.Write(bytes.Repeat([]byte("A"), 1<<16)); err != nil {
				return
			}
		}
	}),
	"notification flood": on("initialize", "", func(s *server, r request) {
		for {
			s.write(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
		}
	}),
	"endless pages": func(s *server) {
		n := 0
		s.each(func(r request) bool {
			if r.Method != "tools/list" {
				return false
			}
			n++
			s.result(r, fmt.Sprintf(`{"tools":[{"name":"t%d"}],"nextCursor":"c%d"}`, n, n))
			return true
		})
	},
	// Each answer says one thing to readers that ignore case and another to the rest.
	"forked tongue": func(s *server) {
		s.each(func(r request) bool {
			switch {
			case r.Method == "initialize":
				s.result(r, strings.TrimSuffix(initResult, "}")+`,"Instructions":"Be quick."}`)
			case r.is("tools/list", ""):
				s.result(r, `{"tools":[{"name":"good"}],"Tools":[{"name":"evil"}],"nextCursor":"","NextCursor":"more"}`)
			case r.is("tools/list", "more"):
				s.result(r, `{"tools":[{"name":"late"}]}`)
			case r.Method == "prompts/list":
				s.write(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":{"prompts":[]},"Result":{"prompts":[{"name":"hidden"}]}}`)
			case r.Method == "resources/list":
				s.write(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"RESULT":{"resources":[{"uri":"file:///x","name":"alone"}]}}`)
			default:
				return false
			}
			return true
		})
	},
	"cursor loop": on("tools/list", "three", func(s *server, r request) {
		s.result(r, `{"tools":[{"name":"t3"}],"nextCursor":"two"}`)
	}),
	"dies at page 2": on("tools/list", "two", func(*server, request) {
		fmt.Fprintln(os.Stderr, "panic: \x1b[31mout of luck\x1b[0m -32601")
		os.Exit(3)
	}),
	"dies at once": func(*server) {
		fmt.Fprintln(os.Stderr, "GITHUB_TOKEN is", os.Getenv("GITHUB_TOKEN"))
		os.Exit(1)
	},
	"half an answer": on("tools/list", "two", func(s *server, r request) {
		s.out.WriteString(`{"jsonrpc":"2.0","id":3,"result":{"tools":[{"na`)
		s.out.Flush()
		os.Exit(0)
	}),
	"stubborn": func(s *server) {
		signal.Ignore(syscall.SIGTERM)
		s.each(func(request) bool { return false })
		forever()
	},
	"grandchild": func(s *server) {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), envServer+"=forever")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			os.Exit(97)
		}
		s.each(func(r request) bool {
			if r.is("tools/list", "two") {
				os.Exit(0)
			}
			return false
		})
	},
	"forever": func(*server) { forever() },
	"wrong ids": func(s *server) {
		s.each(func(r request) bool {
			if r.Method == "tools/list" {
				s.write(`{"jsonrpc":"2.0","id":777,"result":{"tools":[{"name":"fake"}]}}`)
				s.write(`{"jsonrpc":"2.0","id":"` + string(r.ID) + `x","result":{"tools":[{"name":"fake"}]}}`)
				s.write(`{"jsonrpc":"2.0","id":1,"result":{}}`)
				s.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`)
				s.honest(r)
			}
			return false // and so every answer to tools/list comes twice
		})
	},
	"only wrong ids": on("tools/list", "", func(s *server, r request) {
		s.write(`{"jsonrpc":"2.0","id":"` + string(r.ID) + `x","result":{"tools":[]}}`)
	}),
	"ids as texts": func(s *server) {
		s.each(func(r request) bool {
			r.ID = json.RawMessage(`"` + string(r.ID) + `"`)
			s.honest(r)
			return true
		})
	},
	"two readings of an id": on("tools/list", "", func(s *server, r request) {
		s.write(`{"jsonrpc":"2.0","id":"` + string(r.ID) + `","result":{"tools":[{"name":"fake"}]}}`)
		s.honest(r)
	}),
	"error answers": func(s *server) {
		s.each(func(r request) bool {
			switch {
			case r.Method == "initialize":
				s.result(r, strings.Replace(initResult, `"prompts":{},`, "", 1))
			case r.is("tools/list", "two"):
				s.fail(r, -32601, "gone")
			case r.Method == "prompts/list":
				s.fail(r, -32601, "Method not found")
			case r.Method == "resources/list":
				s.fail(r, -32000, "token secret99 is wrong (-32601)\x1b[2J")
			case r.Method == "resources/templates/list":
				s.fail(r, -32601, "Method not found")
			default:
				return false
			}
			return true
		})
	},
	"refuses initialize": on("initialize", "", func(s *server, r request) { s.fail(r, -32022, "Unsupported protocol version") }),
	"invalid UTF-8": on("tools/list", "", func(s *server, r request) {
		s.result(r, "{\"tools\":[{\"name\":\"a\xff\\ud800\"}]}")
	}),
	"broken JSON": on("tools/list", "", func(s *server, r request) { s.result(r, `{"tools":[{"name":}]}`) }),
	"batch": func(s *server) {
		s.each(func(r request) bool {
			if r.Method != "tools/list" {
				return false
			}
			s.write(`[{"jsonrpc":"2.0","id":"q","method":"ping"}, {"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":{"tools":[{"name":"batched"}]}}, 7]`)
			return true
		})
	},
	"asks first": func(s *server) {
		for i, method := range []string{"ping", "roots/list", "sampling/createMessage", "elicitation/create"} {
			s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"ask-%d","method":%q}`, i, method))
		}
		var answers []string
		for {
			r, ok := s.read()
			switch {
			case !ok:
				return
			case r.Method == "":
				answers = append(answers, string(r.ID)+string(r.Result)+string(r.Error))
			case r.Method == "tools/list":
				name, _ := json.Marshal(strings.Join(answers, " "))
				s.result(r, `{"tools":[{"name":`+string(name)+`}]}`)
			case r.ID != nil:
				s.honest(r)
			}
		}
	},
	"asks without reading": on("tools/list", "", func(s *server, r request) {
		for i := range 5_000 {
			s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		}
		s.result(r, `{"tools":[{"name":"chatty"}]}`)
	}),
	"unknown version": on("initialize", "", func(s *server, r request) {
		s.result(r, `{"protocolVersion":"2099-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)
	}),
	"old version": on("initialize", "", func(s *server, r request) {
		s.result(r, `{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)
	}),
	"much stderr": func(s *server) {
		for range 1024 {
			os.Stderr.WriteString(strings.Repeat("e", 1023) + "\n")
		}
		os.Stderr.WriteString("the last word\n")
		s.each(func(r request) bool {
			if r.Method == "resources/list" {
				os.Exit(4)
			}
			return false
		})
	},
	"odd results": func(s *server) {
		s.each(func(r request) bool {
			switch r.Method {
			case "tools/list":
				s.result(r, `{"tools":[{"name":"first"}],"tools":[{"name":"second"}]}`)
			case "prompts/list":
				s.result(r, `{"prompts":{"name":"not a list"}}`)
			case "resources/list":
				s.result(r, `{"resources":[],"nextCursor":7}`)
			case "resources/templates/list":
				s.result(r, `{}`)
			default:
				return false
			}
			return true
		})
	},
	"modern only":           modern(`{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete","ttlMs":0,"cacheScope":"public"}`),
	"another version first": another("2026-07-28", "2025-11-25"),
	"names only old versions": on("server/discover", "", func(s *server, r request) {
		s.write(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}}`)
	}),
	"from the future": on("server/discover", "", func(s *server, r request) {
		s.write(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32022,"message":"no","data":{"supported":["2031-01-01"]}}}`)
	}),
	"misuses a code":           on("server/discover", "", func(s *server, r request) { s.fail(r, -32022, "what?") }),
	"refuses headers":          on("server/discover", "", func(s *server, r request) { s.fail(r, -32020, "header") }),
	"silent before initialize": on("server/discover", "", func(*server, request) {}),
	"discovers nonsense":       on("server/discover", "", func(s *server, r request) { s.result(r, `[1]`) }),
	"must begin with initialize": on("server/discover", "", func(*server, request) {
		fmt.Fprintln(os.Stderr, "ExpectedInitializeRequest")
		os.Exit(1)
	}),
	"empty lists": func(s *server) {
		s.each(func(r request) bool {
			if r.Method == "tools/list" {
				s.result(r, `{"tools":[],"nextCursor":null}`)
				return true
			}
			if r.Method == "initialize" {
				s.result(r, `{"protocolVersion":"2025-06-18","capabilities":{}}`)
				return true
			}
			s.fail(r, -32601, "no")
			return true
		})
	},
}

// modern is a server of the stateless era, which wants what every request must carry.
func modern(discover string) func(*server) {
	return func(s *server) {
		s.each(func(r request) bool {
			version := r.Params.Meta["io.modelcontextprotocol/protocolVersion"]
			switch {
			case version == nil || r.Params.Meta["io.modelcontextprotocol/clientCapabilities"] == nil:
				s.fail(r, -32602, "no _meta")
			case r.Method == "server/discover":
				s.result(r, discover)
			case r.Method == "tools/list":
				s.result(r, `{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"public"}`)
			default:
				s.fail(r, -32601, "Method not found")
			}
			return true
		})
	}
}

// another refuses the first version asked for, whatever it is, and names those it has.
func another(versions ...string) func(*server) {
	return func(s *server) {
		asked := 0
		s.each(func(r request) bool {
			if r.Method != "server/discover" {
				return false
			}
			if asked++; asked == 1 {
				names, _ := json.Marshal(versions)
				s.write(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32022,"message":"no","data":{"supported":` + string(names) + `}}}`)
				return true
			}
			s.result(r, `{"supportedVersions":["2025-11-25","2026-07-28"],"capabilities":{}}`)
			return true
		})
	}
}

// alive waits for the ends of the processes that a test started.
type alive struct {
	t     *testing.T
	l     net.Listener
	conns chan net.Conn
}

func watch(t *testing.T) *alive {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &alive{t, l, make(chan net.Conn, 16)}
	// Ends when the listener is closed.
	go func() {
		defer close(a.conns)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			a.conns <- c
		}
	}()
	return a
}

// allGone fails unless exactly n processes had come and every one has ended.
func (a *alive) allGone(n int) {
	a.t.Helper()
	a.l.Close()
	seen := 0
	for c := range a.conns {
		seen++
		c.SetReadDeadline(soon())
		// A killed process resets the connection instead of closing it; either is its end.
		if _, err := io.ReadAll(c); os.IsTimeout(err) {
			a.t.Errorf("process %d of %d still runs", seen, n)
		}
		c.Close()
	}
	if seen != n {
		a.t.Errorf("%d processes had started, want %d", seen, n)
	}
}
