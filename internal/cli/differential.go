package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gauntlet/catalog"
	"gauntlet/check"
	"gauntlet/finding"
)

// A client is how we introduce ourselves to a server. All claim the same capabilities: none.
type client struct{ name, version string }

// self is our true name.
func self() client { return client{"gauntlet", version()} }

// another is the name that Claude Desktop sends: an agent that no server keeps out.
func another() client { return client{"claude-ai", "0.1.0"} }

// changeWait is how long a server that announces list_changed may take to send one.
const changeWait = 2 * time.Second

// An asking is what a live server said another time, or why it said nothing.
type asking struct {
	who   client
	after string // the notification upon which it was asked again in the first conversation
	text  string
	err   error
}

// askAgain asks a server that has said first as another client, and where that is told
// something else, both clients once more: what moves by itself must not be taken for a
// matter of who asks. The error is errInterrupted or none.
func (a *app) askAgain(ctx context.Context, l *liveFlags, t target, limits catalog.Limits, first *captured) error {
	if first.again != "" {
		first.askings = append(first.askings, asking{who: self(), after: first.after, text: first.again})
	}
	for i, who := range []client{another(), self(), another()} {
		got, err := a.converse(ctx, l, t, limits, talk{as: who, era: first.era})
		if errors.Is(err, errInterrupted) {
			return err
		}
		first.askings = append(first.askings, asking{who: who, text: got.text, err: err})
		if i == 0 && (err != nil || got.text == first.text) {
			break
		}
	}
	return nil
}

// addAskings keeps what the server of a catalog said at other times.
func (g *gathered) addAskings(of *catalog.Server, askings []asking, limits catalog.Limits) {
	for _, q := range askings {
		var held *catalog.Catalog
		err := q.err
		if err == nil {
			limits.Bytes = len(q.text)
			held, err = catalog.Parse("", q.text, limits)
		}
		if err != nil {
			g.failures = append(g.failures, finding.Problem{Kind: finding.Failed,
				Message: fmt.Sprintf("asked as %q: %s", q.who.name, err), Location: finding.Location{Server: of.Name, Origin: of.Document.Origin}})
			continue
		}
		held.Documents[0].Origin = of.Document.Origin
		for i := range held.Problems {
			held.Problems[i].Location.Origin = of.Document.Origin
		}
		g.askings = append(g.askings, check.Asking{Of: of, Catalog: held, As: q.who.name, Self: q.who == self(), After: q.after})
	}
}
