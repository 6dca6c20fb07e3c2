package cli

import (
	"context"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveWorkshop is a server on stdio with a tool for each attack on servers that is tried by class.
// kind is careless, which makes the mistake in each, careful, which makes none, or dull, which has
// no tool that any of them could be tried on.
func serveWorkshop(kind string) int {
	s := mcp.NewServer(&mcp.Implementation{Name: "workshop", Version: "1"}, nil)
	b := bench{careful: kind == "careful"}
	if kind == "dull" {
		addBenchTool(s, "roll", "Rolls a die and returns what it shows.", func(struct{}) (string, error) { return "4", nil })
	} else {
		addBenchTool(s, "read_file", "Reads a file of the project.", b.readFile)
		addBenchTool(s, "fetch_page", "Downloads a web page from a URL.", b.fetchPage)
		addBenchTool(s, "disk_usage", "Runs the shell command du and returns the disk usage of a folder.", b.diskUsage)
		addBenchTool(s, "pod_logs", "Executes the command kubectl logs for a pod.", b.podLogs)
		addBenchTool(s, "find_customer", "Queries the database for the customer of a name.", b.findCustomer)
		addBenchTool(s, "write_letter", "Renders a letter.", b.writeLetter)
	}
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

func (b bench) readFile(a benchPath) (string, error) {
	if b.careful && !filepath.IsLocal(a.Path) {
		return "", errors.New("the path " + a.Path + " is outside of the project")
	}
	text, err := os.ReadFile(a.Path)
	return string(text), err
}

func (b bench) fetchPage(a benchURL) (string, error) {
	u, err := url.Parse(a.URL)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(u.Hostname()); b.careful && (ip == nil || !ip.IsGlobalUnicast() || ip.IsPrivate()) {
		return "", errors.New("the address " + a.URL + " is not public")
	}
	res, err := http.Get(a.URL)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return string(text), err
}

func (b bench) diskUsage(a benchFolder) (string, error) {
	cmd := exec.Command("sh", "-c", "du -s \""+a.Folder+"\"")
	if b.careful {
		cmd = exec.Command("du", "-s", "--", a.Folder)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return string(out), nil
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
