package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"gauntlet/oatf"
	"gauntlet/result"
)

// suite plays several documents, each in a session of its own, some at the same time, and
// reports on them in the order in which they were named.
func (r *attackRunRun) suite(ctx context.Context, texts []attackText) []result.AttackRun {
	runs := make([]result.AttackRun, len(texts))
	defer r.startProgress().stop()
	r.progress.countOf("documents")
	r.progress.count(0, len(texts))
	slots := make(chan struct{}, r.parallel)
	var all sync.WaitGroup
	for i, t := range texts {
		slots <- struct{}{}
		all.Go(func() { // ends with its document, which ends with ctx
			defer func() { <-slots }()
			r.progress.say("playing %s", t.name)
			runs[i] = r.session(ctx, t, r.traceOf(i, t.name))
			r.progress.count(1, 0)
		})
	}
	all.Wait()
	return runs
}

// session plays one document of several.
func (r *attackRunRun) session(ctx context.Context, text attackText, trace string) result.AttackRun {
	doc, problem := loadAttack(text, r.limits.Limits)
	switch {
	case problem != "":
		return result.AttackRun{Document: text.name, Problem: problem}
	case ctx.Err() != nil:
		return result.AttackRun{Document: text.name, ID: doc.Attack.ID, Name: doc.Attack.Name, Problem: "it was not played: the run was interrupted"}
	case r.agent.start == nil && serves(doc):
		return result.AttackRun{Document: text.name, ID: doc.Attack.ID, Name: doc.Attack.Name, Problem: "it needs an agent: see --agent"}
	}
	p := &play{attackRunRun: r, doc: doc, listen: "127.0.0.1:0", trace: trace, silent: true}
	return p.report(ctx, text.name)
}

func serves(doc *oatf.Document) bool {
	for i := range doc.Attack.Execution.Actors {
		if doc.Attack.Execution.Actors[i].Mode == "mcp_server" {
			return true
		}
	}
	return false
}

// traceOf is where the trace of the n-th document goes: into the folder that --trace names,
// under the name of the document and, so that no two meet, its number.
func (r *attackRunRun) traceOf(n int, document string) string {
	if r.trace == "" {
		return ""
	}
	name := filepath.Base(document)
	name = strings.TrimSuffix(name, filepath.Ext(name))
	return filepath.Join(r.trace, fmt.Sprintf("%03d-%s.ndjson", n+1, name))
}

// traceFolder makes the folder of the traces.
func (r *attackRunRun) traceFolder() error {
	if r.trace == "" {
		return nil
	}
	if err := os.MkdirAll(r.trace, 0o700); err != nil {
		return fmt.Errorf("--trace: %s: %w: of several documents the traces go into a folder", r.trace, reason(err))
	}
	return nil
}

// globbed replaces patterns by the files that fit them, in the order of their names.
func globbed(names []string) ([]string, error) {
	var out []string
	for _, n := range names {
		if _, err := os.Stat(n); err == nil || !strings.ContainsAny(n, "*?[") {
			out = append(out, n)
			continue
		}
		found, err := filepath.Glob(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		if found == nil {
			return nil, fmt.Errorf("%s: no file fits the pattern", n)
		}
		out = append(out, found...)
	}
	return out, nil
}
