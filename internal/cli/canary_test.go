package cli

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/report"
)

// parrot repeats what it was given wherever a server can say something, and then dies.
func parrot(id, method string) int {
	secret := os.Getenv("TOKEN")
	fmt.Fprintln(os.Stderr, "I know", secret)
	fmt.Println("stdout: " + secret)
	text, last := parrotAnswer(id, method, secret)
	fmt.Println(text)
	if last {
		return 5
	}
	return 0
}

// parrotAnswer is an answer that is full of a secret, and whether it is the last.
func parrotAnswer(id, method, secret string) (text string, last bool) {
	quote := func(s string) string {
		b, _ := json.Marshal(s) // a string can always be encoded
		return string(b)
	}
	result := func(text string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":` + text + `}` }
	switch method {
	case "initialize":
		return result(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{},` + quote(secret) + `:{}},"serverInfo":{"name":` + quote("s "+secret) +
			`,"version":` + quote(secret) + `},"instructions":` + quote(poison+" "+secret) + `}`), false
	case "tools/list":
		var tools []string
		// An excerpt and a message are cut somewhere: every place of a value is tried.
		for pad := range 40 {
			filler := strings.Repeat("word ", 20) + strings.Repeat("x", pad)
			tools = append(tools, `{"name":`+quote(fmt.Sprint(secret, pad))+`,"description":`+quote(filler+" "+secret+" "+poison+" "+filler+secret)+
				`,"inputSchema":{"type":"object","properties":{`+quote(secret)+`:{"type":"string","description":`+quote(poison+" "+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("?", pad)+secret)))+`}}}}`)
		}
		return result(`{"tools":[` + strings.Join(tools, ",") + `]}`), false
	case "prompts/list":
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32000,"message":` + quote(strings.Repeat("y", 290)+secret) + `}}`, false
	case "resources/list":
		return result(`{"resources":[{"uri":` + quote("file:///"+secret) + `,"name":` + quote(secret) + `,"name":` + quote(secret) + `}],"nextCursor":` + quote(secret) + `}`), true
	}
	return "", true
}

// nasty are secrets that look different where they are written as JSON, in a pointer or in
// a URL, and one of several lines.
var nasty = map[string]string{
	"plain":   "canary-7f3a9c51e8-0001",
	"special": `c4n"a\\ry/7f~3a<9&c>51'e8%k`,
	"lines":   "-----BEGIN CANARY-----\nMIIEcanary7f3a9c51e8qwErtYuiOpAsDfGh\nMIIFcanary7f3a9c51e8zXcvBnmLkJhgFdSa\n-----END CANARY-----\n",
}

// Whatever a server does with what it was given, no report in any format, no message and no
// progress holds it, nor eight bytes of it in a row, however they are spelt.
func TestCanariesInEveryOutput(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, secret := range nasty {
		for _, way := range []string{"env", "header", "bearer", "query", "password", "path"} {
			if way != "env" && way != "query" && way != "password" && way != "path" && strings.Contains(secret, "\n") {
				continue // no header can hold it
			}
			t.Run(name+" "+way, func(t *testing.T) {
				dir := t.TempDir()
				env := append(os.Environ(), "MY_TOKEN="+secret)
				var server []string
				if way == "env" {
					program := filepath.Join(dir, "mcpserver")
					if err := os.Symlink(self, program); err != nil {
						t.Skip("no symbolic links here: ", err)
					}
					env = append(env, "TOKEN="+secret)
					server = []string{"--env", "TOKEN", "--env", "GOCOVERDIR=" + dir, "--", program, "parrot"}
				} else {
					server = parrotURL(t, way, secret)
				}
				noLeak(t, dir, secret, env, server)
			})
		}
	}
}

// parrotURL is the parrot over HTTP, and how it is given its secret.
func parrotURL(t *testing.T, way, secret string) []string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage
			Method string
		}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &q)
		text, last := parrotAnswer(string(q.ID), q.Method, secret)
		switch {
		case q.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		case last:
			w.Header().Set("Www-Authenticate", "Bearer "+url.QueryEscape(secret))
			http.Error(w, "no entry for "+secret, http.StatusForbidden)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\ndata: %s\n\n", strings.ReplaceAll(secret, "\n", "\ndata: "), text)
		}
	}))
	t.Cleanup(web.Close)
	switch way {
	case "header":
		return []string{"--header", "X-Key=" + secret, web.URL}
	case "bearer":
		return []string{"--bearer-env", "MY_TOKEN", web.URL}
	case "query":
		return []string{web.URL + "/?api_key=" + url.QueryEscape(secret)}
	case "path":
		return []string{web.URL + "/s/" + url.PathEscape(secret) + "/mcp"}
	}
	return []string{strings.Replace(web.URL, "://", "://me:"+url.PathEscape(secret)+"@", 1)}
}

func noLeak(t *testing.T, dir, secret string, env, server []string) {
	t.Helper()
	baseline := filepath.Join(dir, "baseline.json")
	// Everything has changed since: messages of those checks quote old and new.
	text, _ := parrotAnswer("1", "tools/list", "then")
	if err := os.WriteFile(baseline, []byte(strings.ReplaceAll(text, "then", "was")), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"scan", "--verbose", "--differential", "--baseline", baseline}
	texts := map[string]string{}
	for _, format := range report.Formats().Names()[1:] {
		args = append(args, "--report", format+"="+filepath.Join(dir, format))
	}
	code, stdout, stderr := runMain(t, env, append(args, server...)...)
	texts["stdout"], texts["stderr"] = stdout, stderr
	for _, format := range report.Formats().Names()[1:] {
		b, err := os.ReadFile(filepath.Join(dir, format))
		if err != nil {
			t.Fatal(err)
		}
		texts[format] = string(b)
	}
	if code != 1 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	capture := append([]string{"capture", "--output", filepath.Join(dir, "snapshot.json")}, server...)
	_, _, texts["stderr of capture"] = runMain(t, env, capture...)
	lockfile := filepath.Join(dir, "lock.json")
	_, out, errs := runMain(t, env, append([]string{"lock", "--output", lockfile}, server...)...)
	texts["lock"] = out + errs
	if b, err := os.ReadFile(lockfile); err == nil {
		texts["the lockfile"] = string(b)
	}
	for where, text := range texts {
		if piece := leaked(text, secret); piece != "" {
			at := strings.Index(text, piece)
			t.Errorf("%s holds %q: …%s…", where, piece, text[max(0, at-150):min(len(text), at+60)])
		}
	}
}

// spellings are the plain ways to write a secret; redact's tests have the others.
func spellings(secret string) []string {
	j, _ := json.Marshal(secret)
	return []string{secret, string(j[1 : len(j)-1]), url.QueryEscape(secret), url.PathEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret))}
}

// leaked returns eight bytes of a spelling of the secret that stand in text, "" if none do.
func leaked(text, secret string) string {
	const n = 8
	for _, s := range spellings(secret) {
		for at := 0; at+n <= len(s); at++ {
			if piece := s[at : at+n]; !strings.Contains("-----BEGIN CANARY-----END -----%0A", piece) && strings.Contains(text, piece) {
				return piece
			}
		}
	}
	return ""
}
