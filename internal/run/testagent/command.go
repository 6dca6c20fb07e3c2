package testagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/runtime/agent"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/model"
	"gauntlet/internal/runtime/modelagent"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

func newCommand(opt Options) (*Agent, error) {
	preset, command, known := agent.PresetOf(opt.Agent)
	if !known {
		var err error
		if command, err = agent.Words(opt.Agent); err != nil {
			return nil, err
		}
		if len(command) == 0 {
			return nil, errors.New("the command is empty")
		}
		if opt.ModelURL != "" || opt.Model != "" {
			return nil, errors.New("a model's address and name are only for agents known by name: claude, codex, opencode, gemini, goose, cursor-agent")
		}
	}
	var err error
	own := ""
	if opt.Transport == "stdio" {
		if own, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("the transport stdio: gauntlet cannot find its own program: %w", err)
		}
	}
	out := &Agent{OwnTools: !opt.NoOwnTools, Program: opt.Agent, ModelKnown: opt.ModelURL != "", NeedsLogin: known && !preset.OwnHome(slices.Concat(opt.Environ, opt.Env), opt.ModelURL)}
	out.Start = func(ctx context.Context, servers []Server, task Task) Outcome {
		servers, peers := splitAgents(servers)
		run := agent.Options{Agents: peers, Command: command, Environ: slices.Concat(opt.Environ, opt.Env), Secret: opt.Env, Prompt: task.Prompt, Files: task.Files, Limit: opt.Limit, Preset: preset, ModelURL: opt.ModelURL, Model: opt.Model, Seal: task.Seal}
		if own == "" {
			for _, s := range servers {
				run.Servers = append(run.Servers, agent.Server{Name: s.Name, URL: s.URL})
			}
			exit, err := agent.Run(ctx, run)
			return observed(commandOutcome(ctx, opt.Limit, exit, err), exit, opt.NoOwnTools)
		}
		out, exit := runBridged(ctx, run, servers, own)
		return observed(out, exit, opt.NoOwnTools)
	}
	return out, nil
}

// Named reports whether the agent is a preset. Such an agent connects as its users configure it, so servers negotiate the revision:
// one that supports none as new as 2025-11-25 would otherwise be rejected.
func Named(line string) bool {
	_, _, known := agent.PresetOf(line)
	return known
}

// observed adds the agent's events, and whether everything it did is known.
func observed(out Outcome, e agent.Exit, noOwnTools bool) Outcome {
	out.Observed = noOwnTools
	if e.Stream != nil {
		out.Calls, out.Observed = e.Stream.Calls, noOwnTools || e.Stream.Whole
	}
	out.Calls, out.Observed = append(out.Calls, e.Left...), out.Observed && !e.LeftCut
	return out
}

func splitAgents(all []Server) (servers []Server, agents []agent.Server) {
	for _, s := range all {
		if s.Agent {
			agents = append(agents, agent.Server{Name: s.Name, URL: s.URL})
		} else {
			servers = append(servers, s)
		}
	}
	return servers, agents
}

func runBridged(ctx context.Context, opt agent.Options, servers []Server, own string) (Outcome, agent.Exit) {
	hub, err := agent.OpenHub(ctx)
	if err != nil {
		return commandOutcome(ctx, opt.Limit, agent.Exit{}, err), agent.Exit{}
	}
	serving, stop := context.WithCancel(ctx)
	var hubs sync.WaitGroup
	hubs.Go(func() { // ends with the agent
		hub.Serve(serving, func(ctx context.Context, name string, conn net.Conn) {
			for _, s := range servers {
				if s.Name == name {
					_ = s.Stdio(ctx, conn, conn) // if a bridge broke off, the trace has what arrived
				}
			}
		})
	})
	for _, s := range servers {
		opt.Servers = append(opt.Servers, hub.Server(s.Name, own))
	}
	exit, err := agent.Run(ctx, opt)
	stop()
	hubs.Wait()
	return commandOutcome(ctx, opt.Limit, exit, err), exit
}

// commandOutcome says how a command ended. If it was still working when its time was over, it may have had more to do, so its
// inaction proves nothing.
func commandOutcome(ctx context.Context, limit time.Duration, e agent.Exit, err error) Outcome {
	out := Outcome{Command: true, Answer: e.Answer, AnswerCut: e.AnswerCut, ModelSpoke: e.Stream != nil && e.Stream.Answer != ""}
	switch {
	case err != nil:
		out.Ended, out.Trouble = "there was no agent", err
		return out
	case e.Cut && ctx.Err() != nil:
		out.Ended = "the agent was ended with the run"
	case e.Cut:
		out.Ended = fmt.Sprintf("the agent was still running when its time was over (%v) and was ended", limit)
		out.Trouble = errors.New(out.Ended)
	default:
		out.Ended = "the agent " + e.How
		out.Crashed = e.Code != 0
	}
	if e.Cut || e.Code != 0 {
		out.Stderr = lastLines(e.Stderr)
	}
	return out
}

// lastLines returns the end of a program's output for a report.
func lastLines(s string) string {
	const most = 600
	s = strings.TrimSpace(s)
	if len(s) > most {
		s = "…" + excerpt.Tail(s, most)
	}
	return wire.Printable(s)
}

const (
	timeout = 30 * time.Second // for the card, and per message
	longest = 4 << 20          // bytes of an answer
)

// connectSkills reads the card of the agent at a URL and connects to a server that offers its skills as tools. The caller closes
// the connection.
func connectSkills(url string) (wire.Conn, error) {
	b := &bridge{url: strings.TrimSuffix(url, "/"), http: &http.Client{Timeout: timeout, Transport: &http.Transport{}}}
	card, err := b.do(context.Background(), http.MethodGet, b.url+a2a.CardPath, "")
	if err != nil {
		b.http.CloseIdleConnections()
		return nil, fmt.Errorf("the card of the agent: %w", err)
	}
	server, err := mcpserver.New(b.state(card), mcpserver.Options{})
	if err != nil {
		b.http.CloseIdleConnections()
		return nil, err
	}
	return &conn{mcpserver.ConnectInMemory(server, nil), b.http.CloseIdleConnections}, nil
}

type bridge struct {
	url  string
	http *http.Client
	sent int
	mu   sync.Mutex
}

// state returns a server state with a tool for each skill.
func (b *bridge) state(card string) mcpserver.State {
	var tree rawjson.Tree
	_ = tree.Parse(card, 0) // an invalid card has no skills
	root := tree.Root()
	s := mcpserver.State{
		Name: "a2a", Identity: []string{`{"name":` + rawjson.Quote(root.Get("name").Text()) + `,"version":"1"}`},
		Capabilities: []string{`{"tools":{}}`}, Call: b.call,
	}
	if about := root.Get("description").Text(); about != "" {
		s.Instructions = []string{rawjson.Quote(root.Get("name").Text() + ": " + about)}
	}
	s.Lists[0].Present = true
	for _, skill := range root.Get("skills").Elements() {
		if id := skill.Get("id").Text(); id != "" {
			s.Lists[0].Items = append(s.Lists[0].Items, toolOf(id, root, skill))
		}
	}
	if s.Lists[0].Items == nil {
		s.Lists[0].Items = []string{toolOf("send_message", root, rawjson.Value{})}
	}
	return s
}

// toolOf returns a tool definition with everything the card says about the skill and the agent.
func toolOf(id string, card, skill rawjson.Value) string {
	var about []string
	for _, text := range []string{skill.Get("name").Text(), skill.Get("description").Text(), card.Get("name").Text(), card.Get("description").Text()} {
		if text != "" {
			about = append(about, strings.TrimSuffix(text, "."))
		}
	}
	return `{"name":` + rawjson.Quote(id) + `,"description":` + rawjson.Quote(strings.Join(about, ". ")+".") +
		`,"inputSchema":{"type":"object","properties":{"message":{"type":"string","description":"What the agent is asked, in words, with the data that it needs"}},"required":["message"]}}`
}

// call sends a message to the agent and returns its whole answer.
func (b *bridge) call(ctx context.Context, c mcpserver.Call) (string, error) {
	var tree rawjson.Tree
	if err := tree.Parse(c.Params, 0); err != nil {
		return "", err
	}
	arguments := tree.Root().Get("arguments")
	text := cmp.Or(arguments.Get("message").Text(), arguments.Compact())
	b.mu.Lock()
	b.sent++
	id := fmt.Sprint(b.sent)
	b.mu.Unlock()
	body := `{"jsonrpc":"2.0","id":` + id + `,"method":"message/send","params":{"message":{"kind":"message","role":"user","messageId":"message-` + id +
		`","parts":[{"kind":"text","text":` + rawjson.Quote(text) + `}]},"metadata":{"skillId":` + rawjson.Quote(c.Name) + `}}}`
	answer, err := b.do(ctx, http.MethodPost, b.url+"/", body)
	if err != nil {
		return "", err
	}
	m := wire.Decode(answer)
	if m.Error != "" {
		return `{"content":[{"type":"text","text":` + rawjson.Quote(m.Error) + `}],"isError":true}`, nil
	}
	return `{"content":[{"type":"text","text":` + rawjson.Quote(m.Result) + `}]}`, nil
}

func (b *bridge) do(ctx context.Context, method, url, body string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	r, err := b.http.Do(req)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(io.LimitReader(r.Body, longest+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > longest:
		return "", errors.New("the answer is too long")
	case r.StatusCode/100 != 2:
		return "", fmt.Errorf("HTTP %d", r.StatusCode)
	}
	return string(text), nil
}

// conn closes its HTTP connections with it.
type conn struct {
	wire.Conn
	end func()
}

// Close also ends the server.
func (c *conn) Close() error {
	err := c.Conn.Close()
	c.end()
	return err
}

// ModelPrefix marks an agent that is a language model in our loop.
const ModelPrefix = "model:"

// lane names these agents' questions in caches.
const lane = "agent"

// OfModel returns an agent of a model for one run, whose cached answers are separate from other runs'. loop lacks servers and
// prompt; limit bounds its time.
func OfModel(client *model.Client, loop modelagent.Options, run int, limit time.Duration) *Agent {
	loop.Ask = func(ctx context.Context, r model.Request) (model.Answer, error) { return client.Ask(ctx, lane, run, r) }
	return inProcess(limit, func(ctx context.Context, task mcpclient.Task) Outcome {
		one := loop
		one.Task = task
		return modelOutcome(modelagent.Run(ctx, one))
	})
}

// Unanswered reports whether there was a model and it neither answered nor did anything.
func (o *Outcome) Unanswered() bool {
	m := o.Model
	return m != nil && (m.End == modelagent.NotAsked || m.Calls == 0 && (m.End == modelagent.NoAnswer || m.End == modelagent.Finished && strings.TrimSpace(m.Said) == ""))
}

// modelOutcome says how a model ended. Only if it finished by itself is its inaction meaningful; if its provider failed, what it had
// done until then counts, as for a program that ends with a status.
func modelOutcome(r modelagent.Result, err error) Outcome {
	out := Outcome{Model: &r, Answer: r.Said, AnswerCut: r.SaidCut, ModelSpoke: true}
	switch r.End {
	case modelagent.Finished:
		out.Ended = "the model had nothing more to say"
		return out
	case modelagent.NotStarted:
		out.Ended = "the agent never connected: " + err.Error()
	case modelagent.Refused:
		out.Ended = "the model refused to go on"
	case modelagent.Truncated:
		out.Ended = "an answer of the model was cut off"
	case modelagent.OutOfTurns:
		out.Ended = fmt.Sprintf("the model was asked %d times, which is the most", r.Turns)
	case modelagent.OutOfCalls:
		out.Ended = fmt.Sprintf("the model made %d calls, which is the most", r.Calls)
	case modelagent.OutOfTime:
		out.Ended = "the model was still working when its time was over"
	default:
		out.Ended = "the model did not answer"
	}
	text := out.Ended
	if r.Detail != "" && r.End != modelagent.NotStarted {
		text += ": " + r.Detail
	}
	if r.End == modelagent.NoAnswer && r.Calls > 0 {
		out.Ended, out.Crashed = text, true
		return out
	}
	out.Trouble = errors.New(text)
	return out
}
