package simagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// A Script says what a scripted agent does, call by call.
type Script struct {
	Steps []ScriptStep `yaml:"steps"`
	// Answers are the results for requests of servers, by method. What is not answered is
	// not offered.
	Answers map[string]any `yaml:"answers"`
}

// A ScriptStep is one act, of which exactly one is set beside Server and what belongs to it.
type ScriptStep struct {
	Server    string         `yaml:"server"` // may be left out with one server
	Call      string         `yaml:"call"`   // a tool
	Prompt    string         `yaml:"prompt"` // a prompt
	Arguments map[string]any `yaml:"arguments"`
	Read      string         `yaml:"read"`   // the URI of a resource
	Method    string         `yaml:"method"` // any other request
	Params    map[string]any `yaml:"params"`
	Wait      string         `yaml:"wait"` // how long to listen, as "2s"
}

const (
	// maxScript is the longest script, in bytes, maxScriptSteps the most steps of one.
	maxScript      = 1 << 20
	maxScriptSteps = 1_000
)

// offers are the capabilities that answers need.
var offers = map[string]string{mcp.ElicitationCreate: `"elicitation":{"form":{},"url":{}}`, mcp.SamplingCreateMessage: `"sampling":{}`, mcp.RootsList: `"roots":{}`}

// ReadScript reads a script. Unknown keys are errors, so that a slip of the pen does not
// turn into a step left out.
func ReadScript(text string) (*Script, error) {
	if len(text) > maxScript {
		return nil, fmt.Errorf("the script is longer than %d bytes", maxScript)
	}
	s := new(Script)
	if err := yaml.Load([]byte(text), s, yaml.WithKnownFields()); err != nil && strings.TrimSpace(text) != "" {
		return nil, err
	}
	if len(s.Steps) == 0 {
		return nil, errors.New("the script has no steps")
	}
	if len(s.Steps) > maxScriptSteps {
		return nil, fmt.Errorf("the script has more than %d steps", maxScriptSteps)
	}
	for i := range s.Steps {
		if err := s.Steps[i].checkStep(); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	for method, result := range s.Answers {
		if _, err := json.Marshal(result); err != nil || offers[method] == "" {
			return nil, fmt.Errorf("answers: %q: want a result for elicitation/create, sampling/createMessage or roots/list", method)
		}
	}
	return s, nil
}

func (s *ScriptStep) checkStep() error {
	acts := 0
	for _, one := range [...]string{s.Call, s.Prompt, s.Read, s.Method, s.Wait} {
		if one != "" {
			acts++
		}
	}
	if acts != 1 {
		return errors.New("want one of call, prompt, read, method and wait")
	}
	if s.Wait != "" {
		if d, err := time.ParseDuration(s.Wait); err != nil || d <= 0 || d > time.Hour {
			return fmt.Errorf("wait: %q is no time up to 1h", s.Wait)
		}
	}
	if _, err := json.Marshal([]any{s.Arguments, s.Params}); err != nil {
		return errors.New("arguments and params hold what JSON cannot say")
	}
	return nil
}

func (s *Script) declaredCapabilities() string {
	var all []string
	for _, method := range [...]string{mcp.ElicitationCreate, mcp.SamplingCreateMessage, mcp.RootsList} {
		if _, ok := s.Answers[method]; ok {
			all = append(all, offers[method])
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

func (a *simAgent) playScript(ctx context.Context, s *Script) {
	for i, step := range s.Steps {
		if a.cut != "" || ctx.Err() != nil {
			return
		}
		l := a.serverFor(step)
		if l == nil {
			a.cut = fmt.Sprintf("step %d: which server is meant?", i+1)
			return
		}
		if step.Wait != "" {
			d, _ := time.ParseDuration(step.Wait) // checked when the script was read
			if l.Idle(ctx, d) != "" {
				l.readLists(ctx)
			}
			continue
		}
		method, params := step.request()
		a.request(ctx, l, method, step.Call+step.Prompt+step.Read, params, fmt.Sprintf("step %d of the script", i+1), func([]string) {})
	}
}

// serverFor returns the server that a step names, else the only one, or the only one that has its tool, prompt or resource; nil for
// none.
func (a *simAgent) serverFor(s ScriptStep) *serverSession {
	fit := slices.DeleteFunc(slices.Clone(a.servers), func(l *serverSession) bool {
		offers := slices.ContainsFunc(l.things, func(t *thing) bool { return t.name == s.Call+s.Prompt+s.Read })
		return s.Server != l.Name && (s.Server != "" || len(a.servers) > 1 && !offers)
	})
	if len(fit) == 1 {
		return fit[0]
	}
	return nil
}

// request returns the request of a step, whose values were checked when the script was read.
func (s *ScriptStep) request() (method, params string) {
	encode := func(v map[string]any) string {
		if v == nil {
			return "{}"
		}
		text, _ := json.Marshal(v)
		return string(text)
	}
	switch {
	case s.Method != "":
		return s.Method, encode(s.Params)
	case s.Read != "":
		return mcp.ResourcesRead, encode(map[string]any{"uri": s.Read})
	case s.Prompt != "":
		method = mcp.PromptsGet
	default:
		method = mcp.ToolsCall
	}
	return method, `{"name":` + rawjson.Quote(s.Call+s.Prompt) + `,"arguments":` + encode(s.Arguments) + `}`
}
