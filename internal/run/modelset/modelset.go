// Package modelset opens the models a user names, and estimates their cost before they are asked.
package modelset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/model"
)

// Options name the models and say how they are asked. The zero value names none.
type Options struct {
	IDs      []string
	URL      string // endpoint of all; "" for those their ids imply
	CacheDir string // "" for no cache
	Offline  bool
	Ceiling  model.Ceiling
	Prices   string // price file; "" for the embedded list
	Timeout  time.Duration
	Parallel int
	Getenv   func(string) string
	Agent    string // the User-Agent
	// Ledger is another set's in the same run, to share its ceilings and account; nil for a new one.
	Ledger *model.Ledger
}

// A Set is several models with one account.
type Set struct {
	Clients []*model.Client
	Ledger  *model.Ledger
}

const longestPrices = 1 << 20

// Open resolves all models without asking any; an error means that one cannot be asked at all.
func Open(opt Options) (*Set, error) {
	prices := model.BuiltInPrices()
	if opt.Prices != "" {
		text, err := userfile.ReadText(opt.Prices, nil, longestPrices)
		if err != nil {
			return nil, fmt.Errorf("--model-prices: %s: %w", opt.Prices, userfile.Reason(err))
		}
		if prices, err = model.ParsePrices(text); err != nil {
			return nil, fmt.Errorf("--model-prices: %s: %w", opt.Prices, err)
		}
	}
	if opt.Offline && opt.CacheDir == "" {
		return nil, errors.New("--offline answers from the cache: name it with --model-cache")
	}
	s := &Set{Ledger: opt.Ledger}
	if s.Ledger == nil {
		s.Ledger = model.NewLedger(opt.Ceiling, prices)
	}
	asked := model.Options{Timeout: opt.Timeout, Parallel: opt.Parallel, Offline: opt.Offline, Ledger: s.Ledger, Agent: opt.Agent}
	if opt.CacheDir != "" {
		cache, err := model.OpenCache(opt.CacheDir)
		if err != nil {
			return nil, fmt.Errorf("--model-cache: %s: %w", opt.CacheDir, userfile.Reason(err))
		}
		asked.Cache = cache
	}
	for i, id := range opt.IDs {
		if slices.Contains(opt.IDs[:i], id) {
			return nil, fmt.Errorf("--model: %s is named twice", id)
		}
		provider := model.Provider{Model: id}
		if !opt.Offline {
			var err error
			if provider, err = model.Resolve(id, opt.URL, opt.Getenv); err != nil {
				return nil, fmt.Errorf("--model: %w", err)
			}
		}
		if _, ok := prices.Of(id); !ok && opt.Ceiling.Cost > 0 {
			return nil, fmt.Errorf("--max-cost: no price is known for %s: name a file that has it with --model-prices", id)
		}
		s.Clients = append(s.Clients, model.NewClient(provider, asked))
	}
	return s, nil
}

// Close closes all connections, of nil none.
func (s *Set) Close() {
	if s == nil {
		return
	}
	for _, c := range s.Clients {
		c.Close()
	}
}

// A Plan is the maximum usage of one model.
type Plan struct {
	Model    string
	Calls    int // calls not recorded in the cache
	Recorded int
	Usage    model.Usage
	Cost     float64
	Priced   bool
}

// Plan estimates the cost of requests to one model of the set, without retries.
func (s *Set) Plan(c *model.Client, lane string, requests []model.Request) Plan {
	p := Plan{Model: c.Model()}
	seen := map[string]bool{}
	for i := range requests {
		key := model.CacheKey(c.Model(), lane, 0, &requests[i])
		switch {
		case seen[key]:
		case c.Recorded(lane, 0, &requests[i]):
			p.Recorded++
		default:
			p.Calls++
			p.Usage.Add(model.Estimate(&requests[i]))
		}
		seen[key] = true
	}
	s.price(&p)
	return p
}

func (s *Set) price(p *Plan) {
	price, ok := s.Ledger.Prices().Of(p.Model)
	p.Cost, p.Priced = price.Cost(p.Usage), ok
}

// PlanOf estimates calls known only by their size.
func (s *Set) PlanOf(c *model.Client, calls int, usage model.Usage) Plan {
	p := Plan{Model: c.Model(), Calls: calls, Usage: usage}
	s.price(&p)
	return p
}

// loopQuestion is the assumed size of an agent loop's question, in tokens: definitions, results and the conversation so far.
const loopQuestion = 3_000

// PlanLoops estimates runs of an agent loop with the most turns, which few take, and the longest answers, in tokens.
func (s *Set) PlanLoops(c *model.Client, runs, turns, answer int) Plan {
	calls := runs * turns
	return s.PlanOf(c, calls, model.Usage{Input: calls * loopQuestion, Output: calls * answer})
}

// Text returns a plan on one line.
func (s *Set) Text(p Plan) string {
	text := fmt.Sprintf("%s: at most %d calls, about %d tokens in and at most %d out", p.Model, p.Calls, p.Usage.Input, p.Usage.Output)
	if p.Recorded > 0 {
		text += fmt.Sprintf(" (%d answers are recorded)", p.Recorded)
	}
	if p.Priced {
		return text + fmt.Sprintf(", about %.2f USD at prices of %s", p.Cost, s.Ledger.Prices().AsOf)
	}
	return text + ", no price known"
}

// PlanLines returns plans and the run's limits, one per line.
func (s *Set) PlanLines(plans []Plan) []string {
	var out []string
	for _, p := range plans {
		out = append(out, s.Text(p))
	}
	if c := s.ceilings(); c != "" {
		out = append(out, "ceilings: "+c)
	}
	return out
}

// TellPlans announces what will be asked.
func (s *Set) TellPlans(plans []Plan, note func(format string, args ...any)) {
	for _, line := range s.PlanLines(plans) {
		note("%s", line)
	}
}

// ceilings returns the run's limits in words, or "".
func (s *Set) ceilings() string {
	var parts []string
	c := s.Ledger.Ceiling()
	if c.Calls > 0 {
		parts = append(parts, fmt.Sprintf("%d calls", c.Calls))
	}
	if c.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens", c.Tokens))
	}
	if c.Cost > 0 {
		parts = append(parts, fmt.Sprintf("%.2f USD", c.Cost))
	}
	return strings.Join(parts, ", ")
}

// Spent returns the usage so far on one line.
func (s *Set) Spent() string {
	t := s.Ledger.Total()
	text := fmt.Sprintf("%d calls, %d answers from the cache, %d tokens in and %d out", t.Calls, t.Cached, t.Usage.Input, t.Usage.Output)
	if t.Failed > 0 {
		text += fmt.Sprintf(", %d calls failed", t.Failed)
	}
	if t.Priced && t.Calls > 0 {
		text += fmt.Sprintf(", %.2f USD at prices of %s", t.Cost, s.Ledger.Prices().AsOf)
	}
	return text
}
