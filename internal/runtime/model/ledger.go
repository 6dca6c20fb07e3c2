package model

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/lazyregexp"
)

// A Ceiling bounds a run's usage over all its models; 0 means unlimited.
type Ceiling struct {
	Calls  int
	Tokens int     // input and output
	Cost   float64 // US dollars
}

// ErrCeiling says that a call was not made because it could have exceeded a ceiling.
var ErrCeiling = errors.New("the ceiling is reached")

// A Ledger counts the usage of a run's models, and refuses calls that could exceed a ceiling, assuming the longest allowed answer
// for each. It is safe for concurrent use.
type Ledger struct {
	ceiling Ceiling
	prices  *Prices

	mu       sync.Mutex
	reserved entry // for calls in progress
	total    entry
	models   map[string]*entry
}

type entry struct {
	calls, cached, failed int
	usage                 Usage
	cost                  float64
}

// NewLedger returns a ledger; prices may be nil.
func NewLedger(ceiling Ceiling, prices *Prices) *Ledger {
	return &Ledger{ceiling: ceiling, prices: prices, models: map[string]*entry{}}
}

// A Spent is the usage of one model, or of all together.
type Spent struct {
	Model  string  `json:"model,omitempty"` // "" for all
	Calls  int     `json:"calls"`           // calls made, without retries
	Cached int     `json:"cached"`          // calls answered by the cache
	Failed int     `json:"failed,omitempty"`
	Usage  Usage   `json:"tokens"`
	Cost   float64 `json:"cost_usd,omitempty"`
	// Priced says that Cost is known.
	Priced bool `json:"priced"`
}

// A reservation is the assumed usage of a call in progress.
type reservation struct {
	ledger *Ledger
	model  string
	usage  Usage
	cost   float64
}

// EstimateTokens estimates the tokens in a text, rather too high: English has about four bytes per token, other scripts and JSON
// fewer.
func EstimateTokens(bytes int) int { return bytes/3 + 1 }

// Estimate is the assumed usage of a call: the question estimated by its length, and the longest answer it allows.
func Estimate(r *Request) Usage {
	n := len(r.System) + len(r.Schema)
	for i := range r.Messages {
		m := &r.Messages[i]
		n += len(m.Text) + 16
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Arguments) + 32
		}
		for _, res := range m.Results {
			n += len(res.Text) + 32
		}
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema) + 32
	}
	return Usage{EstimateTokens(n), r.MaxTokens}
}

func (l *Ledger) reserve(model string, r *Request) (*reservation, error) {
	res := &reservation{ledger: l, model: model, usage: Estimate(r)}
	price, _ := l.prices.Of(model)
	res.cost = price.Cost(res.usage)
	l.mu.Lock()
	defer l.mu.Unlock()
	used := l.total.usage.Input + l.total.usage.Output + l.reserved.usage.Input + l.reserved.usage.Output
	switch c := &l.ceiling; {
	case c.Calls > 0 && l.total.calls+l.reserved.calls >= c.Calls:
		return nil, fmt.Errorf("%w: %d calls", ErrCeiling, c.Calls)
	case c.Tokens > 0 && used+res.usage.Input+res.usage.Output > c.Tokens:
		return nil, fmt.Errorf("%w: the next call may cross %d tokens", ErrCeiling, c.Tokens)
	case c.Cost > 0 && l.total.cost+l.reserved.cost+res.cost > c.Cost:
		return nil, fmt.Errorf("%w: the next call may cross %.2f USD", ErrCeiling, c.Cost)
	}
	l.reserved.calls++
	l.reserved.usage.Add(res.usage)
	l.reserved.cost += res.cost
	return res, nil
}

// settle replaces the reserved by the actual usage. A failed call may have cost something, but nobody said how much.
func (r *reservation) settle(used Usage, ok bool) {
	l := r.ledger
	price, _ := l.prices.Of(r.model)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reserved.calls--
	l.reserved.usage.Add(Usage{-r.usage.Input, -r.usage.Output})
	l.reserved.cost -= r.cost
	for _, e := range [...]*entry{&l.total, l.entryOf(r.model)} {
		e.calls++
		e.usage.Add(used)
		e.cost += price.Cost(used)
		if !ok {
			e.failed++
		}
	}
}

func (l *Ledger) addCached(model string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total.cached++
	l.entryOf(model).cached++
}

func (l *Ledger) entryOf(model string) *entry {
	if l.models[model] == nil {
		l.models[model] = &entry{}
	}
	return l.models[model]
}

// Total returns the usage of all models. Its cost is known only if each model's is.
func (l *Ledger) Total() Spent {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.total.spent("", true)
	for id := range l.models {
		if _, ok := l.prices.Of(id); !ok {
			s.Priced, s.Cost = false, 0
		}
	}
	return s
}

// Spent returns each model's usage, sorted by id.
func (l *Ledger) Spent() (out []Spent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, e := range l.models {
		_, priced := l.prices.Of(id)
		out = append(out, e.spent(id, priced))
	}
	slices.SortFunc(out, func(a, b Spent) int {
		if a.Model < b.Model {
			return -1
		}
		return 1
	})
	return out
}

func (e *entry) spent(model string, priced bool) Spent {
	s := Spent{Model: model, Calls: e.calls, Cached: e.cached, Failed: e.failed, Usage: e.usage, Priced: priced}
	if priced {
		s.Cost = e.cost
	}
	return s
}

// Prices returns the ledger's prices, or nil.
func (l *Ledger) Prices() *Prices { return l.prices }

// Ceiling returns the ledger's ceiling.
func (l *Ledger) Ceiling() Ceiling { return l.ceiling }

//go:embed prices.json
var builtInPrices string

// A Price is in US dollars per million tokens.
type Price struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
}

// Cost is what tokens cost, in US dollars.
func (p Price) Cost(u Usage) float64 {
	return (float64(u.Input)*p.Input + float64(u.Output)*p.Output) / 1e6
}

// Prices is a dated list of prices by model id.
type Prices struct {
	AsOf   string // a date
	models map[string]Price
}

// BuiltInPrices returns the embedded price list.
func BuiltInPrices() *Prices {
	p, err := ParsePrices(builtInPrices)
	if err != nil { // covered by a test
		panic(err)
	}
	return p
}

// ParsePrices parses a price list in the form of the embedded one.
func ParsePrices(text string) (*Prices, error) {
	var in struct {
		AsOf      string           `json:"as_of"`
		Currency  string           `json:"currency"`
		PerTokens int              `json:"per_tokens"`
		Models    map[string]Price `json:"models"`
	}
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, errors.New(describeJSON(err))
	}
	if _, err := time.Parse(time.DateOnly, in.AsOf); err != nil {
		return nil, fmt.Errorf("as_of: %q is not a date such as 2025-11-25", in.AsOf)
	}
	if in.Currency != "USD" || in.PerTokens != 1_000_000 {
		return nil, errors.New(`prices must be in "USD" per 1000000 tokens`)
	}
	for id, p := range in.Models {
		for _, v := range [...]float64{p.Input, p.Output} {
			if v < 0 || v > 1e6 || math.IsNaN(v) {
				return nil, fmt.Errorf("%s: a price is out of range", id)
			}
		}
	}
	return &Prices{in.AsOf, in.Models}, nil
}

// snapshotOf matches the suffix by which providers name a version of a model.
var snapshotOf = lazyregexp.New(`-(latest|\d{8}|\d{4}-\d{2}-\d{2})$`)

// Of returns a model's price, or false if unknown: a model is not priced like another with the same prefix.
func (p *Prices) Of(id string) (Price, bool) {
	if p == nil {
		return Price{}, false
	}
	id = strings.TrimPrefix(id, "models/")
	if price, ok := p.models[id]; ok {
		return price, true
	}
	price, ok := p.models[snapshotOf.ReplaceAllString(id, "")]
	return price, ok
}
