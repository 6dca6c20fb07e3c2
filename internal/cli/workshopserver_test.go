package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/testing/carelesstest"
)

// serveWorkshop is a server on stdio with a tool for each attack on servers that is tried by class.
// kind is careless, which makes the mistake in each, careful, which makes none, dull, which has
// no tool that any of them could be tried on, keyless, whose tool fails whatever it is given, or overlaid, which has one that pretends to fetch pages.
func serveWorkshop(kind string) int {
	s := mcp.NewServer(&mcp.Implementation{Name: "workshop", Version: "1"}, nil)
	b := bench{careful: kind == "careful"}
	does := carelesstest.Tools{Careful: b.careful}
	if kind == "overlaid" {
		addBenchTool(s, "download", "Downloads a web page from a URL.", func(a benchURL) (string, error) { return "a page of the real server", nil })
	} else if kind == "keyless" {
		addBenchTool(s, "read_file", "Reads a file of the project.", func(benchPath) (string, error) {
			return "", fmt.Errorf("401 invalid api key (request %d)", time.Now().UnixNano())
		})
	} else if kind == "dull" {
		addBenchTool(s, "roll", "Rolls a die and returns what it shows.", func(struct{}) (string, error) { return "4", nil })
	} else {
		addBenchTool(s, "read_file", "Reads a file of the project.", func(a benchPath) (string, error) { return does.Read(a.Path) })
		addBenchTool(s, "fetch_page", "Downloads a web page from a URL.", func(a benchURL) (string, error) { return does.Fetch(a.URL) })
		addBenchTool(s, "disk_usage", "Runs the shell command du and returns the disk usage of a folder.", func(a benchFolder) (string, error) { return does.DiskUsage(a.Folder) })
		addBenchTool(s, "pod_logs", "Executes the command kubectl logs for a pod.", b.podLogs)
		addBenchTool(s, "find_customer", "Runs a SQL SELECT on the customers table of the PostgreSQL database.", b.findCustomer)
		addBenchTool(s, "write_letter", "Renders a letter.", b.writeLetter)
		addBenchTool(s, "resume_session", "Resumes a session.", b.resumeSession)
		b.addLooseTools(s)
	}
	s.AddResource(&mcp.Resource{URI: "file:///project/notes", Name: "notes"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		if kind == "keyless" {
			return nil, errors.New("401 invalid api key")
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "Buy milk."}}}, nil
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "file:///project/{+path}", Name: "file"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		if kind == "keyless" {
			return nil, errors.New("401 invalid api key")
		}
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	})
	if s.Run(context.Background(), &mcp.StdioTransport{}) != nil {
		return 1
	}
	return 0
}

func addBenchTool[A any](s *mcp.Server, name, description string, do func(A) (string, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: description}, func(_ context.Context, _ *mcp.CallToolRequest, a A) (*mcp.CallToolResult, any, error) {
		text, err := do(a)
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
}

// bench holds the tools of a workshop.
type bench struct{ careful bool }

type (
	benchPath struct {
		Path string `json:"path" jsonschema:"the file to read"`
	}
	benchURL struct {
		URL string `json:"url" jsonschema:"the address of the page"`
	}
	benchFolder struct {
		Folder string `json:"folder" jsonschema:"the path of the folder"`
	}
	benchPod struct {
		PodID string `json:"pod_id" jsonschema:"the id of the pod"`
	}
	benchName struct {
		Name string `json:"name" jsonschema:"the name of the customer"`
	}
	benchBody struct {
		Content string `json:"content" jsonschema:"the text of the letter"`
	}
)

type benchSession struct {
	SessionID string `json:"session_id" jsonschema:"the session"`
}

// resumeSession opens a session. The careless server counts them.
func (b bench) resumeSession(a benchSession) (string, error) {
	if b.careful || a.SessionID != "1001" {
		return "", errors.New("no such session: " + a.SessionID)
	}
	return "the cart of ada", nil
}

// addLooseTools adds tools that look after their arguments themselves.
func (b bench) addLooseTools(s *mcp.Server) {
	profile := map[string]any{"role": "member"}
	schema := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)
	add := func(name, description string, do func(*mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			given := map[string]any{}
			err := json.Unmarshal(r.Params.Arguments, &given)
			var result *mcp.CallToolResult
			if err == nil {
				result, err = do(r, given)
			}
			if err != nil {
				result = &mcp.CallToolResult{}
				result.SetError(err)
			}
			return result, nil
		})
	}
	said := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	add("update_profile", "Changes the profile.", func(_ *mcp.CallToolRequest, given map[string]any) (*mcp.CallToolResult, error) {
		for name, value := range given {
			if !b.careful || name == "name" {
				profile[name] = value
			}
		}
		return said("done"), nil
	})
	add("get_profile", "Shows the profile.", func(*mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		text, err := json.Marshal(profile)
		return said(string(text)), err
	})
	add("rename_account", "Renames the account.", func(_ *mcp.CallToolRequest, given map[string]any) (*mcp.CallToolResult, error) {
		if _, isText := given["name"].(string); !isText && !b.careful {
			return nil, fmt.Errorf("cannot rename %v with the token %s", given["name"], os.Getenv("GITHUB_TOKEN"))
		} else if !isText {
			return nil, errors.New("the name is no text")
		}
		return said("renamed"), nil
	})
	w := &workshop{careful: b.careful, key: []byte("of this test")}
	add("approve_payment", "Pays an invoice once the user agreed.", func(r *mcp.CallToolRequest, given map[string]any) (*mcp.CallToolResult, error) {
		return w.approve(r, given)
	})
	if !b.careful {
		s.AddReceivingMiddleware(forgetful)
	}
}

var podName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

func (b bench) podLogs(a benchPod) (string, error) {
	if b.careful && !podName.MatchString(a.PodID) {
		return "", errors.New("no such pod: " + a.PodID)
	}
	out, err := exec.Command("kubectl", "logs", a.PodID).CombinedOutput()
	return string(out), err
}

// unioned is a second query behind the end of a text, as this database reads it.
var unioned = regexp.MustCompile(`' UNION SELECT (\d+)\*(\d+)-- $`)

func (b bench) findCustomer(a benchName) (string, error) {
	if m := unioned.FindStringSubmatch(a.Name); m != nil && !b.careful {
		return multiplied(m[1], m[2]), nil
	}
	return "nobody is called " + a.Name, nil
}

// expression is one of this template language.
var expression = regexp.MustCompile(`\{\{(\d+)\*(\d+)\}\}`)

func (b bench) writeLetter(a benchBody) (string, error) {
	if b.careful {
		return a.Content, nil
	}
	return expression.ReplaceAllStringFunc(a.Content, func(s string) string {
		m := expression.FindStringSubmatch(s)
		return multiplied(m[1], m[2])
	}), nil
}

func multiplied(a, b string) string {
	x, _ := new(big.Int).SetString(a, 10)
	y, _ := new(big.Int).SetString(b, 10)
	return strings.TrimSpace(x.Mul(x, y).String())
}
