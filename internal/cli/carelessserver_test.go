package cli

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A workshop is a server as many are, with a tool for everything. Its careless form makes
// the mistakes that the attacks on servers look for, its careful form none of them.
type workshop struct {
	careful bool
	key     []byte // signs the states of requests
}

var errRefused = errors.New("that is not possible")

// arguments are those of one call.
type arguments map[string]any

func (a arguments) text(name string) string { s, _ := a[name].(string); return s }

// handler serves a workshop over HTTP.
func (w *workshop) handler() http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "workshop", Version: "1"}, nil)
	for name, do := range map[string]func(arguments) (string, error){
		"read_file path":            func(a arguments) (string, error) { return w.read(a.text("path")) },
		"fetch_url url":             func(a arguments) (string, error) { return w.fetch(a.text("url")) },
		"ping_host host":            func(a arguments) (string, error) { return w.ping(a.text("host")) },
		"git_log ref":               func(a arguments) (string, error) { return w.log(a.text("ref")) },
		"find_user name":            w.find,
		"resume_session session_id": func(a arguments) (string, error) { return w.resume(a.text("session_id")) },
		"update_profile name":       w.update,
		"greet name":                func(a arguments) (string, error) { return w.greet(a.text("name")) },
	} {
		name, param, _ := strings.Cut(name, " ")
		w.add(s, name, param, func(r *mcp.CallToolRequest, a arguments) (*mcp.CallToolResult, error) {
			text, err := do(a)
			if err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		})
	}
	w.add(s, "approve_payment", "invoice", w.approve)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "file", URITemplate: "file:///{+path}"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		p, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, "file:///"))
		if err != nil {
			return nil, err
		}
		text, err := w.read(p)
		if err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: text}}}, nil
	})
	h := http.Handler(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	if !w.careful {
		s.AddReceivingMiddleware(forgetful)
		h = anyVersion(h)
	}
	return h
}

// add adds a tool with one parameter, which is not held to its schema but by the tool itself.
func (w *workshop) add(s *mcp.Server, name, param string, do func(*mcp.CallToolRequest, arguments) (*mcp.CallToolResult, error)) {
	schema := json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string"}}}`, param))
	s.AddTool(&mcp.Tool{Name: name, Description: "Does what its name says.", InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		a := arguments{}
		err := json.Unmarshal(r.Params.Arguments, &a)
		var result *mcp.CallToolResult
		if err == nil {
			result, err = do(r, a)
		}
		if err != nil {
			result = &mcp.CallToolResult{}
			result.SetError(err)
		}
		return result, nil
	})
}

// disk is the machine of the server.
var disk = map[string]string{
	"/srv/files/readme.txt": "hello",
	"/etc/passwd":           "root:x:0:0:root:/root:/bin/sh\n",
}

// read opens a path below /srv/files. The careless server joins first and asks no questions.
func (w *workshop) read(p string) (string, error) {
	if w.careful && (path.IsAbs(p) || strings.Contains(p, "..")) {
		return "", errRefused
	}
	full := path.Join("/srv/files", p)
	if !w.careful && path.IsAbs(p) {
		full = path.Clean(p)
	}
	text, ok := disk[full]
	if !ok {
		return "", errRefused
	}
	return text, nil
}

// network is what answers inside of the server's own network.
var network = map[string]string{
	"169.254.169.254": `{"AccessKeyId": "ASIAEXAMPLE", "SecretAccessKey": "example"}`,
	"127.0.0.1":       "redis_version:7.2",
}

// fetch gets an address. The careful server looks at where it leads.
func (w *workshop) fetch(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errRefused
	}
	if u.Scheme == "file" && !w.careful {
		return disk[u.Path], nil
	}
	at, numeric := numericAddress(u.Hostname())
	if w.careful && (u.Scheme != "https" || !numeric || at.IsPrivate() || at.IsLoopback() || at.IsLinkLocalUnicast()) {
		return "", errRefused
	}
	return network[at.String()], nil
}

func numericAddress(host string) (netip.Addr, bool) {
	if n, err := strconv.ParseUint(host, 10, 32); err == nil {
		return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), true
	}
	at, err := netip.ParseAddr(host)
	return at.Unmap(), err == nil
}

// ping runs a program. The careless server has a shell do it.
func (w *workshop) ping(host string) (string, error) {
	command := exec.Command("sh", "-c", "echo PING "+host)
	if w.careful {
		command = exec.Command("echo", "PING", host)
	}
	out, err := command.CombinedOutput()
	if err != nil {
		return "", errRefused
	}
	if w.careful && !regexp.MustCompile(`^[a-z0-9.-]+$`).MatchString(host) {
		return "", errRefused
	}
	return string(out), nil
}

// log is a program that takes options until it is told that there are no more.
func (w *workshop) log(ref string) (string, error) {
	args := []string{ref}
	if w.careful {
		args = []string{"--", ref}
	}
	switch args[0] {
	case "--help":
		return "usage: git log [<options>] [<revision-range>]", nil
	case "--version":
		return "git version 2.51.0", nil
	case "--":
		return "", errors.New("no such revision")
	}
	return "3f2c1aa first commit", nil
}

// find looks a name up in a database that knows quotation marks and UNION.
func (w *workshop) find(a arguments) (string, error) {
	name, isText := a["name"].(string)
	switch {
	case w.careful:
		return "nobody of that name", nil // the name is a value, whatever is in it
	case !isText:
		return "", errors.New("panic: interface conversion: interface {} is not string\n\ngoroutine 12 [running]:\nmain.find\n\t/srv/app/users.go:42")
	case strings.Contains(strings.ToUpper(name), "UNION SELECT"):
		return "CREATE TABLE users (name TEXT, hash TEXT)", nil
	case strings.Count(name, "'")%2 == 1 && !strings.Contains(name, "--"):
		return "", errors.New(`SQL error: near "'": syntax error`)
	}
	return "nobody of that name", nil
}

// resume goes on with a session. The careless server counts them.
func (w *workshop) resume(id string) (string, error) {
	if w.careful || id != "1" && id != "2" {
		return "", errRefused
	}
	return "session of " + map[string]string{"1": "ada", "2": "bo"}[id], nil
}

// update changes a profile. The careless server stores what it is given.
func (w *workshop) update(a arguments) (string, error) {
	profile := map[string]any{"role": "member"}
	for name, value := range a {
		if !w.careful || name == "name" {
			profile[name] = value
		}
	}
	out, err := json.Marshal(profile)
	return string(out), err
}

// product is an expression of a template language.
var product = regexp.MustCompile(`\$\{(\d+)\*(\d+)\}`)

// greet writes a text. The careless server makes a template of it with the name inside.
func (w *workshop) greet(name string) (string, error) {
	if w.careful {
		return "Dear " + name, nil
	}
	return product.ReplaceAllStringFunc("Dear "+name, func(s string) string {
		m := product.FindStringSubmatch(s)
		a, _ := strconv.Atoi(m[1])
		b, _ := strconv.Atoi(m[2])
		return strconv.Itoa(a * b)
	}), nil
}

// approve pays once the user agreed. The careless server believes the state that comes back.
func (w *workshop) approve(r *mcp.CallToolRequest, _ arguments) (*mcp.CallToolResult, error) {
	state := r.Params.RequestState
	if state == "" {
		return &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{"confirm": &mcp.ElicitParams{Message: "Pay?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"confirm":{"type":"boolean"}}}`)}},
			RequestState:  w.sign(`{"step":"asked"}`),
		}, nil
	}
	text, ok := w.verify(state)
	if answer, _ := r.Params.InputResponses["confirm"].(*mcp.ElicitResult); !ok || answer == nil || answer.Action != "accept" {
		return nil, fmt.Errorf("not confirmed")
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "paid, " + text}}}, nil
}

func (w *workshop) sign(text string) string {
	encoded := base64.StdEncoding.EncodeToString([]byte(text))
	if !w.careful {
		return encoded
	}
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(encoded))
	return encoded + "." + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func (w *workshop) verify(state string) (text string, ok bool) {
	encoded, _, _ := strings.Cut(state, ".")
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	return string(decoded), err == nil && (!w.careful || state == w.sign(string(decoded)))
}

// forgetful answers for tools that no list has, and begins anew where a cursor is unknown.
func forgetful(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		switch p := r.GetParams().(type) {
		case *mcp.CallToolParamsRaw:
			if p.Name == "debug_exec" {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok"}}}, nil
			}
		case *mcp.ListToolsParams:
			if strings.Contains(p.Cursor, "/") {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "open /srv/cursors/" + p.Cursor + ": no such file or directory"}
			}
			p.Cursor = ""
		}
		return next(ctx, method, r)
	}
}

// versionMember is where a message says which version it is of.
var versionMember = regexp.MustCompile(`("io\.modelcontextprotocol/protocolVersion"\s*:\s*)"[^"]*"`)

// anyVersion answers whatever version a client says that it speaks.
func anyVersion(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(rw, "unreadable", http.StatusBadRequest)
			return
		}
		if r.Header.Get("Mcp-Protocol-Version") != "" {
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			body = versionMember.ReplaceAll(body, []byte(`${1}"2026-07-28"`))
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		next.ServeHTTP(rw, r)
	})
}
