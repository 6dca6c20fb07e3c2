package redteam

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/engine/delivery"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/attackrun"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/modelagent"
	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/result"
	"gauntlet/trace"
	"gauntlet/verdict"
)

// statelessRevision is the revision for attacks of the stateless era.
const statelessRevision = "2026-07-28"

// FromDocument returns a scenario for a normalized attack document with a server actor. It fails if no agent can be attacked by it.
func FromDocument(name string, doc *oatf.Document, player attackrun.Player) (Scenario, error) {
	if !attackrun.HasServer(doc) {
		return Scenario{}, fmt.Errorf("%s attacks no agent: it has no actor that is a server", name)
	}
	if slices.Contains(doc.Attack.Classification.Tags, attackdoc.StatelessEra) {
		player.Serve.Revisions = []string{statelessRevision}
	}
	player.Grace = new(time.Duration) // the model has finished and does nothing more
	benign, _ := delivery.Benign(doc)
	s := Scenario{ID: name, Name: doc.Attack.Name, Technique: cmp.Or(string(doc.Attack.Classification.Category), "unclassified"), Placement: placementOf(doc)}
	s.Play = func(ctx context.Context, agent *testagent.Agent, setting Setting) Played {
		p, d := player, doc
		if setting.Control {
			d = benign
		}
		p.AgentOf, p.AgentName = func(int) *testagent.Agent { return agent }, testagent.ModelPrefix+setting.Model
		run := p.Play(ctx, d, name, attackrun.Session{Listen: "127.0.0.1:0", Trace: setting.Trace, Silent: true})
		return playedOf(&run, setting.Trace)
	}
	return s, nil
}

// Prepare determines, by agents without a model, the calls that complete a scenario's task: those of the resister, which does the
// task and nothing else; and whether there is a control: the victim, which obeys everything, must not be exploited by it.
func Prepare(ctx context.Context, s *Scenario, resister, victim *testagent.Agent, trace string) {
	setting := Setting{Model: "none", Run: 1, Control: true, Trace: trace}
	s.Needed = s.Play(ctx, resister, setting).Calls
	setting.Trace += ".victim"
	s.NoControl = s.Play(ctx, victim, setting).Outcome == Exploited
}

// placementOf describes where the first part of the attack stands.
func placementOf(doc *oatf.Document) string {
	parts := delivery.New(doc).Exposure().Parts
	if len(parts) == 0 {
		return "unknown"
	}
	switch parts[0].Method {
	case mcp.Initialize:
		return "server instructions"
	case mcp.ToolsList:
		return "tool definition"
	case mcp.ToolsCall:
		return "tool result"
	case mcp.ResourcesList, mcp.ResourcesRead:
		return "resource"
	case mcp.PromptsList, mcp.PromptsGet:
		return "prompt"
	case mcp.ElicitationCreate:
		return "request for input"
	case mcp.SamplingCreateMessage:
		return "request for a sample"
	}
	return parts[0].Method
}

func playedOf(run *result.AttackRun, file string) Played {
	p := Played{Outcome: Inconclusive, Reason: run.Problem}
	if run.Verdict != nil {
		p.Reason = run.Verdict.Reason
	}
	switch {
	case run.Exploited():
		p.Outcome, p.Reason = Exploited, ""
		for _, i := range run.Verdict.Indicators {
			if i.Result == verdict.Matched && i.Message > 0 {
				p.Messages = append(p.Messages, i.Message)
			}
		}
	case run.Resisted():
		p.Outcome, p.Reason = Resisted, ""
	case run.Verdict == nil, slices.ContainsFunc(run.Notices, func(n result.Notice) bool { return n.Kind == attackrun.Unanswered }):
		p.Outcome = Unplayed
	}
	t, err := tracefile.Read(file, nil)
	if err != nil {
		return Played{Outcome: Inconclusive, Reason: fmt.Sprintf("the trace cannot be read: %s", err)}
	}
	p.Calls = callsOf(t.Messages)
	p.Broken = slices.ContainsFunc(run.Notices, func(n result.Notice) bool { return n.Kind == "trouble" })
	return p
}

// callsOf lists the client's calls, as "method name".
func callsOf(messages []trace.Message) (out []string) {
	var tree rawjson.Tree
	for i := range messages {
		m := &messages[i]
		if m.Direction != trace.ToServer || m.Kind != trace.Request || !m.IsProtocol("mcp") {
			continue
		}
		id := map[string]string{mcp.ToolsCall: "name", mcp.ResourcesRead: "uri", mcp.PromptsGet: "name"}[m.Method]
		if id == "" || tree.Parse(m.Raw, 0) != nil {
			continue
		}
		call := m.Method + " " + strings.Clone(tree.Root().Get("params").Get(id).Text())
		if !slices.Contains(out, call) {
			out = append(out, call)
		}
	}
	return out
}

// FromDocuments returns scenarios for the named attack documents; with all, for the built-in ones on agents.
func FromDocuments(ctx context.Context, names []string, all bool, player attackrun.Player) ([]Scenario, error) {
	if all {
		builtIn, err := attackdoc.BuiltIn()
		if err != nil {
			return nil, err
		}
		for _, l := range builtIn {
			names = append(names, l.Name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	limits := oatf.DefaultLimits()
	texts, err := attackdoc.Read(ctx, names, nil, limits)
	if err != nil {
		return nil, err
	}
	player.Limit, player.Dialer.Limits.Message = attack.DefaultLimit, mcpserver.DefaultBody
	player.Serve.HTTP.Body, player.Serve.IdleStream = mcpserver.DefaultBody, true
	var out []Scenario
	for _, t := range texts {
		doc, problem := t.Load(limits)
		if problem != "" {
			return nil, fmt.Errorf("%s: %s", t.Name, problem)
		}
		if all && !attackrun.HasServer(doc) {
			continue // attacks on servers
		}
		s, err := FromDocument(t.Name, doc, player)
		if err != nil {
			return nil, err
		}
		s.ID = filepath.Base(s.ID)
		out = append(out, s)
	}
	return out, nil
}

// PrepareAll prepares scenarios concurrently, by agents without a model. Scenarios of a real server are left alone.
func (opt *Options) PrepareAll(ctx context.Context, limit time.Duration, version string) error {
	var agents []*testagent.Agent
	for _, name := range [...]string{"builtin:resister", "builtin:victim"} {
		one, err := testagent.New(testagent.Options{Agent: name, Limit: limit, Idle: time.Millisecond, Version: version})
		if err != nil {
			return err
		}
		agents = append(agents, one)
	}
	dir, err := os.MkdirTemp("", "gauntlet-redteam-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	interrupt.Each(len(opt.Scenarios), opt.Parallel, func(i int) {
		if opt.Scenarios[i].Needed == nil {
			Prepare(ctx, &opt.Scenarios[i], agents[0], agents[1], filepath.Join(dir, fmt.Sprintf("%d.ndjson", i)))
		}
	})
	return nil
}

// Plans estimates every run with the most turns, which few take.
func (opt *Options) Plans(loop modelagent.Options) (out []modelset.Plan) {
	runs := opt.Runs * len(opt.Scenarios)
	if !opt.NoControl {
		runs *= 2
	}
	for _, c := range opt.Models.Clients {
		out = append(out, opt.Models.PlanLoops(c, runs, loop.Turns, loop.Tokens))
	}
	return out
}
