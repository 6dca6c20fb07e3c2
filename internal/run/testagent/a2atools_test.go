package testagent

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"gauntlet/internal/runtime/mcpclient"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The skills of an agent are tools: what its card says is what they say, and what it answers their result.
func TestSkillsAreTools(t *testing.T) {
	var asked string
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"name":"Peer","description":"Helps.","skills":[{"id":"pay","name":"Pay","description":"Pays bills."}]}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		asked = string(body)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"status":"done","text":"paid"}}`)
	}))
	defer ts.Close()
	conn, err := connectSkills(ts.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	s, err := mcpclient.Open(context.Background(), conn, mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tools := s.Read(t.Context()).Lists[0].Items
	if len(tools) != 1 || !strings.Contains(tools[0], `"description":"Pay. Pays bills. Peer. Helps."`) {
		t.Errorf("tools %q", tools)
	}
	m, err := s.Call(t.Context(), "tools/call", `{"name":"pay","arguments":{"message":"the bill"}}`)
	if err != nil || !strings.Contains(m.Result, `{\"status\":\"done\",\"text\":\"paid\"}`) {
		t.Errorf("result %s, %v", m.Result, err)
	}
	if !strings.Contains(asked, `"text":"the bill"`) || !strings.Contains(asked, `"skillId":"pay"`) {
		t.Errorf("the agent was asked %s", asked)
	}
}

// Without a card there is nothing to connect to.
func TestNoCard(t *testing.T) {
	ts := httptest.NewServer(http.NotFoundHandler())
	defer ts.Close()
	if conn, err := connectSkills(ts.URL); err == nil {
		conn.Close()
		t.Error("an agent without a card was connected to")
	}
}
