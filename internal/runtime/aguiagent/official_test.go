package aguiagent

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os/exec"
	"testing"

	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/testing/peertest"
)

// The official front end runs our agent through its front door, checks what it tells, and brings the results of the calls of its own
// tool.
func TestOfficialFrontEnd(t *testing.T) {
	dir := peertest.Agents(t)
	ctx, cancel := context.WithCancel(t.Context())
	door := New(ctx, func(ctx context.Context, c mcpclient.Task) (string, error) {
		c.Called("files", "read", `{"path":"a"}`, "text of a")
		conn, err := c.Servers[0].Dial(ctx)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		session, err := mcpclient.Open(ctx, conn, mcpclient.Options{Era: mcpclient.InitializeFirst, Name: "agent", Version: "1"})
		if err != nil {
			return "", err
		}
		answer, err := session.Call(ctx, "tools/call", `{"name":"pick","arguments":{"of":"`+c.Prompt+`"}}`)
		if err != nil {
			return "", err
		}
		return "It is " + answer.Result, nil
	})
	ts := httptest.NewServer(door)
	defer func() {
		cancel()
		ts.Close()
		door.Wait()
	}()
	command := append(peertest.Script(t, dir, "testdata/frontend.mjs"), ts.URL)
	out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got struct {
		Called []struct {
			Name string
			Args map[string]string
		}
		Said []string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(got.Called) != 2 || got.Called[0].Name != "read" || got.Called[1].Name != "pick" || got.Called[1].Args["of"] != "Which colour is it?" {
		t.Errorf("it was told of the calls %+v", got.Called)
	}
	if want := `It is {"content":[{"type":"text","text":"green"}]}`; len(got.Said) != 1 || got.Said[0] != want {
		t.Errorf("it was told %q, want %q", got.Said, want)
	}
}
