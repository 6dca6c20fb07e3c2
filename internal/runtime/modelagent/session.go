package modelagent

import (
	"context"
	"crypto/sha256"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/rawjson"
)

// A session is the session with one server.
type session struct {
	*mcpclient.Connection
	stateless bool
	listed    [sha256.Size]byte // hash of everything the server lists
	init      string
	lists     [4][]string // in the order of catalog.Kinds
}

// readLists reads what the server offers.
func (s *session) readLists(ctx context.Context) {
	snap := s.Read(ctx)
	s.stateless = snap.Era == mcpclient.Modern
	s.init = strings.Clone(snap.Init)
	h := sha256.New()
	for i := range snap.Lists {
		s.lists[i] = nil
		for _, item := range snap.Lists[i].Items {
			s.lists[i] = append(s.lists[i], strings.Clone(item))
			_, _ = h.Write([]byte(item + "\x00")) // never fails
		}
	}
	s.listed = [sha256.Size]byte(h.Sum(nil))
}

// callServer sends a request and returns the text of the answer for the model.
func (s *session) callServer(ctx context.Context, method, params string) (text string, failed bool) {
	texts, failed, err := s.CallTexts(ctx, method, params)
	if texts == nil {
		return "the server did not answer: " + clipResult(err.Error()), true
	}
	return clipResult(strings.Join(texts, "\n\n")), failed
}

func clipResult(s string) string {
	if len(s) > longestResult {
		return strings.ToValidUTF8(s[:longestResult], "") + "\n[cut off]"
	}
	return s
}

// The host's tools, by which a model reads resources and prompts.
const (
	resourceTool = "read_resource"
	promptTool   = "get_prompt"
)

// An offeredTool is a tool the model may call, and what calling it means.
type offeredTool struct {
	server *session
	name   string // the server's name for it, "" for a host tool
	method string
}

func (t *offeredTool) params(arguments rawjson.Value) string {
	if t.method == mcp.ToolsCall {
		return `{"name":` + rawjson.Quote(t.name) + `,"arguments":` + arguments.Raw() + `}`
	}
	return arguments.Raw()
}
