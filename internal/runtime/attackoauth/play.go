package attackoauth

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"gauntlet/report"
)

// A Client logs in at w.Server as at any other server, and lists its tools. It shows pages with w.Open and writes output with
// w.Say. The error says why it did not succeed.
type Client func(ctx context.Context, w *World) error

// An Outcome is the result of one attack.
type Outcome struct {
	Attack string `json:"attack"`
	// Fell says that the client did what no careful one does; What says what it did.
	Fell bool   `json:"fell"`
	What string `json:"what,omitempty"`
	// Why is the error of a client that withstood, "" if it had none.
	Why string `json:"why,omitempty"`
	// Untried says why the attack was not played, or is "".
	Untried string `json:"untried,omitempty"`
}

// State returns the outcome in words: FELL, withstood or not tried.
func (o *Outcome) State() string {
	switch {
	case o.Fell:
		return "FELL"
	case o.Untried != "":
		return "not tried"
	}
	return "withstood"
}

// Reason explains the outcome, or is "".
func (o *Outcome) Reason() string { return cmp.Or(o.Untried, o.What, o.Why) }

// Play plays an attack against a client. The error says that this was not possible.
func Play(ctx context.Context, a *Attack, client Client) (*Outcome, error) {
	w, err := newWorld(ctx, a.knobs)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if a.Known {
		w.Identity = Identity{ID: "known-client", Secret: "secret-known-to-one-issuer", Issuer: w.honest.url}
	}
	failed := client(ctx, w)
	if failed != nil {
		w.Say(failed.Error())
	}
	out := &Outcome{Attack: a.Name, What: a.fell(w)}
	out.Fell = out.What != ""
	if !out.Fell && failed != nil {
		out.Why = failed.Error()
	}
	return out, nil
}

// Honest runs the client without an attack: a client that cannot log in withstands nothing. The error says why it could not.
func Honest(ctx context.Context, client Client) error {
	w, err := newWorld(ctx, knobs{})
	if err != nil {
		return err
	}
	defer w.close()
	if err := client(ctx, w); err != nil {
		return fmt.Errorf("%w: %w", errNoLogin, err)
	}
	for _, r := range w.honest.all("/mcp") {
		if r.header.Get("Authorization") != "" {
			return nil
		}
	}
	return errNoLogin
}

// PlayAll plays attacks in order, after one honest login. client returns the client for an attack, or for nil. foreign marks a
// client that is not ours: attacks that cannot be shown to it from this machine are not tried.
func PlayAll(ctx context.Context, attacks []Attack, client func(*Attack) Client, foreign bool) ([]*Outcome, error) {
	if err := Honest(ctx, client(nil)); err != nil {
		return nil, fmt.Errorf("without an attack: %w", err)
	}
	outcomes := []*Outcome{}
	for i := range attacks {
		a := &attacks[i]
		o := &Outcome{Attack: a.Name}
		switch {
		case foreign && a.Public:
			o.Untried = "the client would have to treat a server on this machine as remote"
		case foreign && a.Known:
			o.Untried = "the client would have to be registered beforehand"
		default:
			var err error
			if o, err = Play(ctx, a, client(a)); err != nil {
				return nil, err
			}
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// Write writes outcomes as "json", as "html" or as text, successful attacks first.
func Write(w io.Writer, outcomes []*Outcome, format string, looks report.Options) error {
	t := report.Table{ID: "attacks", Title: "Attacks on the login", Head: []string{"Outcome", "Attack", "Why"}}
	p := &report.Page{Title: "How the client logs in", Class: "ok", Read: "First nobody attacked, and the client logged in."}
	fell, untried := 0, 0
	for _, o := range slices.SortedStableFunc(slices.Values(outcomes), func(a, b *Outcome) int { return strings.Compare(a.State(), b.State()) }) {
		t.Rows = append(t.Rows, []string{o.State(), o.Attack, o.Reason()})
		switch {
		case o.Fell:
			p.Class = "bad"
			fell++
		case o.Untried != "":
			untried++
			p.Missing = append(p.Missing, o.Attack+": "+o.Untried)
		}
	}
	if p.Class == "ok" && p.Missing != nil {
		p.Class = "open"
	}
	p.Verdict = fmt.Sprintf("The client fell for %d of %d that were played", fell, len(outcomes)-untried)
	p.Tables = []report.Table{t}
	return p.Write(w, format, outcomes, looks)
}
