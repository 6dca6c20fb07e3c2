package model

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"gauntlet/internal/leaf/lazyregexp"
)

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
