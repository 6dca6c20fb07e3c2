package proberun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/leaf/probe"
)

type (
	titleArgs struct {
		Title string `json:"title"`
	}
	exportArgs struct {
		NotebookID string `json:"notebook_id" jsonschema:"as create_notebook returned it"`
		Filename   string `json:"filename"`
	}
	hookArgs struct {
		Target string `json:"target" jsonschema:"where events are sent"`
	}
	firedArgs struct {
		HookID string `json:"hook_id"`
	}
)

// serveTwoSteps is a server whose faults show only to who uses what an earlier call gave out. A
// careful one has no faults.
func serveTwoSteps(careful bool) {
	s := mcp.NewServer(&mcp.Implementation{Name: "two steps", Version: "1"}, nil)
	folder, err := os.MkdirTemp("", "notebooks")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // the test's own folder for temporary files goes as well
	books, hooks := map[string]string{}, map[string]string{}
	mcp.AddTool(s, &mcp.Tool{Name: "create_notebook", Description: "Creates a notebook."}, func(_ context.Context, _ *mcp.CallToolRequest, a titleArgs) (*mcp.CallToolResult, any, error) {
		id := "nb-" + randomWord(12)
		books[id] = a.Title
		return text(fmt.Sprintf(`{"id":%q}`, id), nil)
	})
	mcp.AddTool(s, &mcp.Tool{Name: "export_notebook", Description: "Writes a notebook to a file."}, func(_ context.Context, _ *mcp.CallToolRequest, a exportArgs) (*mcp.CallToolResult, any, error) {
		title, ok := books[a.NotebookID]
		if !ok {
			return text("", errors.New("there is no notebook "+a.NotebookID))
		}
		if careful && !filepath.IsLocal(a.Filename) {
			return text("", errors.New("no plain name: "+a.Filename))
		}
		return text("written", os.WriteFile(filepath.Join(folder, a.Filename), []byte(title), 0o600))
	})
	mcp.AddTool(s, &mcp.Tool{Name: "register_hook", Description: "Registers a hook."}, func(_ context.Context, _ *mcp.CallToolRequest, a hookArgs) (*mcp.CallToolResult, any, error) {
		if _, err := http.NewRequest(http.MethodGet, a.Target, nil); err != nil || len(a.Target) < 8 || a.Target[:4] != "http" {
			return text("", errors.New("target is no URL"))
		}
		id := "hook_" + randomWord(6) + "7"
		hooks[id] = a.Target
		return text("Registered "+id, nil)
	})
	mcp.AddTool(s, &mcp.Tool{Name: "fire_hook", Description: "Sends an event to a hook."}, func(_ context.Context, _ *mcp.CallToolRequest, a firedArgs) (*mcp.CallToolResult, any, error) {
		target, ok := hooks[a.HookID]
		if !ok {
			return text("", errors.New("no such hook: "+a.HookID))
		}
		if careful {
			return text("queued", nil)
		}
		res, err := http.Get(target)
		if err != nil {
			return text("", err)
		}
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
		return text(res.Status, err)
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{}) // the end of the conversation is its regular end
}

// What one call gives out is what the next call needs, and what a payload left behind shows when it is used.
func TestFaultsBehindAnEarlierCall(t *testing.T) {
	want := map[string]probe.Kind{"export_notebook.filename path traversal": probe.File, "register_hook.target server-side request forgery": probe.Callback}
	faulty := outcomes(&probeSelf(t, "two steps", nil).Evidence)
	for name, kind := range want {
		if p := faulty[name]; p.Proof == nil || p.Proof.Kind != kind {
			t.Errorf("%s: %+v, want it proved by %s", name, faulty[name], kind)
		}
	}
	for name, o := range outcomes(&probeSelf(t, "two careful steps", nil).Evidence) {
		if p := o; p.Proof != nil {
			t.Errorf("careful: %s: proved: %s", name, p.Proof.Observed)
		}
	}
}
