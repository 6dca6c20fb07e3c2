// Package liveview shows reports and recordings in a local browser, and reloads them when their files change: a recording grows
// while a scan, probe or attack runs.
package liveview

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gauntlet/diff"
	"gauntlet/internal/run/listen"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/report"
	"gauntlet/result"
)

const maxBytes = 256 << 20

// errUnknown says that a file cannot be shown.
var errUnknown = errors.New("it is not a JSON report, a JSON diff, a recording or a page of gauntlet")

// WritePage writes a file's page: a JSON report, with the recordings that it names if readable; a JSON diff; a recording; or an
// HTML page unchanged.
func WritePage(w io.Writer, name string) error {
	text, err := userfile.ReadText(name, nil, maxBytes)
	if err != nil {
		return userfile.Reason(err)
	}
	if strings.HasPrefix(text, "<!DOCTYPE html>") {
		_, err := io.WriteString(w, text)
		return err
	}
	if s, ok := runstate.Parse(text); ok {
		return s.Page().Write(w, "html", nil, report.Options{})
	}
	var head struct {
		SchemaVersion string           `json:"schema_version"`
		Findings      *json.RawMessage `json:"findings"`
		Servers       *json.RawMessage `json:"servers"`
		Models        *json.RawMessage `json:"models"`
	}
	switch err := json.Unmarshal([]byte(text), &head); {
	case err != nil || head.SchemaVersion == "":
		return writeRecording(w, name)
	case !strings.HasPrefix(head.SchemaVersion, "1."):
		return fmt.Errorf("its form has version %q, want 1", head.SchemaVersion)
	case head.Findings != nil:
		return writeJSONPage(w, text, report.Formats(), func(r *result.Report) report.Options { return report.Options{Traces: namedRecordings(r)} })
	case head.Servers != nil:
		return writeJSONPage(w, text, report.DiffFormats(), func(*diff.Diff) (none report.Options) { return })
	case head.Models != nil:
		return writeJSONPage(w, text, report.RedTeamFormats(), func(*result.RedTeam) (none report.Options) { return })
	}
	return errUnknown
}

// writeJSONPage writes the page of a report that was read as JSON.
func writeJSONPage[T any](w io.Writer, text string, formats report.FormatsOf[*T], options func(*T) report.Options) error {
	r := new(T)
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return err
	}
	return formats.Write(w, "html", r, options(r))
}

// namedRecordings reads the recordings that a report names, skipping missing ones.
func namedRecordings(r *result.Report) []report.Conversation {
	var names []string
	if t := r.Coverage.Trace; t != nil {
		names = append(names, t.File)
	}
	for i := range r.Attacks {
		names = append(names, r.Attacks[i].Trace)
	}
	return Conversations(names, func(string, ...any) {})
}

// maxPageTraces bounds the recordings read for one page's diagrams.
const maxPageTraces = 12

// Conversations reads at most maxPageTraces recordings for a page's diagrams. Unreadable ones are left out and noted: the report
// does not depend on them.
func Conversations(names []string, note func(format string, args ...any)) (out []report.Conversation) {
	seen := map[string]bool{"": true, "-": true}
	for _, name := range names {
		if seen[name] || len(out) == maxPageTraces {
			continue
		}
		seen[name] = true
		t, _, err := tracefile.ReadConversation(name, nil)
		if err != nil {
			note("%s is not drawn: %s", name, err)
			continue
		}
		out = append(out, report.Conversation{File: name, Trace: t})
	}
	return out
}

// writeRecording writes a recording without a verdict.
func writeRecording(w io.Writer, name string) error {
	t, _, err := tracefile.ReadConversation(name, nil)
	switch {
	case err != nil:
		return userfile.Reason(err)
	case len(t.Messages) == 0 && t.Unread > 0:
		return errUnknown
	}
	return report.WriteConversation(w, report.Conversation{File: name, Trace: t})
}

// pollEvery is how often the files are checked. Reading a file's size and time is cheap, and a person sees no difference to system
// notifications.
const pollEvery = 300 * time.Millisecond

const maxViewers = 32

//go:embed frame.js
var frameScript string

const frameStyle = "html,body{margin:0;height:100%}body{display:flex;flex-direction:column;font:14px system-ui,sans-serif;color-scheme:light dark}" +
	"nav{padding:.4rem 1rem;display:flex;gap:1rem;align-items:center;flex-wrap:wrap}iframe{flex:1;border:0;width:100%}"

// A Server shows files. Set its fields before use.
type Server struct {
	Files []string
	token string

	mu       sync.Mutex
	versions []int             // by file, from 1; incremented on change
	states   []string          // by file: detects changes
	viewers  map[chan int]bool // each gets the indexes of changed files
	missing  int               // viewers without the last page
	last     chan struct{}     // closed when there are none
}

// New returns a server of these files, with its own token.
func New(files []string) (*Server, error) {
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	s := &Server{Files: files, token: hex.EncodeToString(secret), versions: make([]int, len(files)), states: make([]string, len(files)), viewers: map[chan int]bool{}}
	for i, f := range files {
		s.states[i] = stateOf(f)
	}
	return s, nil
}

// pageKey returns the path key of one file's page: the page may be a stranger's and see its own URL, and must not learn the token,
// which opens everything.
func (s *Server) pageKey(i int) string {
	sum := sha256.Sum256([]byte(s.token + "/" + strconv.Itoa(i)))
	return hex.EncodeToString(sum[:16])
}

// Address returns the URL of the files on a listener.
func (s *Server) Address(l net.Listener) string {
	return "http://" + l.Addr().String() + "/" + s.token + "/"
}

// Run serves on a loopback listener until ctx ends.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	var work sync.WaitGroup
	defer work.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work.Go(func() { s.watchFiles(ctx) }) // ends with the context
	return listen.Serve(ctx, l, s.handler(l.Addr().String()))
}

// stateOf differs after a file has changed, even if replaced by one of the same length.
func stateOf(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return "missing"
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

func (s *Server) watchFiles(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.look()
		}
	}
}

func (s *Server) look() {
	for i, f := range s.Files {
		now := stateOf(f)
		s.mu.Lock()
		if now != s.states[i] {
			s.states[i] = now
			s.versions[i]++
			s.notify(i)
		}
		s.mu.Unlock()
	}
}

// notify tells the viewers of a changed file; the caller holds the lock.
func (s *Server) notify(i int) {
	for v := range s.viewers {
		select {
		case v <- i:
		default: // a reload is pending, and will read the current file
		}
	}
}

// handler answers only requests whose Host names this machine, so that no rebound foreign page reaches it, and that carry the
// token, or a page's key for that page.
func (s *Server) handler(address string) http.Handler {
	_, port, _ := net.SplitHostPort(address)
	hosts := []string{address, "localhost:" + port}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if token == "page" {
			for i := range s.Files {
				if subtle.ConstantTimeCompare([]byte(rest), []byte(s.pageKey(i))) == 1 {
					token, rest = s.token, "page/"+strconv.Itoa(i)
				}
			}
		}
		switch {
		case !slices.Contains(hosts, r.Host):
			http.Error(w, "wrong host", http.StatusMisdirectedRequest)
		case subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1:
			http.NotFound(w, r)
		case r.Method != http.MethodGet:
			http.Error(w, "want GET", http.StatusMethodNotAllowed)
		default:
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.Header().Set("Referrer-Policy", "no-referrer")
			s.answer(w, r, rest)
		}
	})
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, path string) {
	if path == "" {
		s.writeFrame(w)
		return
	}
	if path == "events" {
		s.sendEvents(w, r)
		return
	}
	number, isPage := strings.CutPrefix(path, "page/")
	i, err := strconv.Atoi(number)
	if !isPage || err != nil || i < 0 || i >= len(s.Files) {
		http.NotFound(w, r)
		return
	}
	s.writePage(w, s.Files[i])
}

// writePage writes a file's page, or why there is none: a run that has just begun has written nothing yet.
func (s *Server) writePage(w http.ResponseWriter, file string) {
	// Our own pages have a stricter policy; this one keeps a file shown unchanged from making requests. The sandbox gives it an
	// opaque origin, so it can neither read other pages nor navigate the browser.
	w.Header().Set("Content-Security-Policy", "sandbox allow-scripts; default-src 'none'; webrtc 'block'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	last := s.awaitsLast() // before the file is read
	var page bytes.Buffer
	if err := WritePage(&page, file); err != nil {
		page.Reset()
		fmt.Fprintf(&page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>waiting</title></head><body><main><h1>Nothing to show yet</h1><p>%s: %s. The page follows as soon as the file changes.</p></main></body></html>\n",
			html.EscapeString(file), html.EscapeString(err.Error()))
	}
	w.Header().Set("Content-Length", strconv.Itoa(page.Len())) // so that a viewer has the whole page when the server ends
	_, _ = w.Write(page.Bytes())
	if last && http.NewResponseController(w).Flush() == nil {
		s.notePage()
	}
}

// writeFrame writes the page that frames the others and listens for news.
func (s *Server) writeFrame(w http.ResponseWriter) {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; style-src "+hash(frameStyle)+"; script-src "+hash(frameScript))
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>gauntlet view</title><style>%s</style></head><body><nav aria-label=\"Files\">", frameStyle)
	for i, f := range s.Files {
		fmt.Fprintf(w, "<a href=\"#%d\" data-page=\"../page/%s\">%s</a> ", i, s.pageKey(i), html.EscapeString(f))
	}
	fmt.Fprintf(w, "<span id=\"state\" role=\"status\"></span></nav><iframe title=\"report\" sandbox=\"allow-scripts\" referrerpolicy=\"no-referrer\" src=\"../page/%s\"></iframe><script>%s</script></body></html>\n", s.pageKey(0), frameScript)
}

// sendEvents tells a viewer of each changed file until it leaves.
func (s *Server) sendEvents(w http.ResponseWriter, r *http.Request) {
	news := make(chan int, len(s.Files)+1)
	s.mu.Lock()
	full := len(s.viewers) >= maxViewers
	if !full {
		s.viewers[news] = true
	}
	s.mu.Unlock()
	if full {
		http.Error(w, "too many viewers", http.StatusServiceUnavailable)
		return
	}
	defer func() {
		s.mu.Lock()
		delete(s.viewers, news)
		s.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	fmt.Fprint(w, ": watching\n\n")
	for {
		if out.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case i := <-news:
			fmt.Fprintf(w, "data: %d\n\n", i)
		}
	}
}
