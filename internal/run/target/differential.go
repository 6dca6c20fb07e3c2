package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/run/interrupt"
)

// A client is the name we introduce ourselves by. All claim the same capabilities: none.
type client struct{ name, version string }

func (r *Reader) ownClient() client { return client{"gauntlet", r.Version} }

// otherClient is Claude Desktop's name: an agent that no server rejects.
func otherClient() client { return client{"claude-ai", "0.1.0"} }

// changeWait bounds the wait for a list change from a server that announces them.
const changeWait = 2 * time.Second

// An asking is what a live server said at another time, or why it said nothing.
type asking struct {
	as    client
	self  bool   // under our real name
	after string // the notification after which the first session read it again
	text  string
	err   error
}

// askAgain asks a server that answered first as another client. If the answers differ, both clients ask once more, so that a change
// over time is not taken for a difference between clients. The error is interrupt.Err or nil.
func (r *Reader) askAgain(ctx context.Context, t Target, first *Captured) error {
	if first.again != "" {
		first.askings = append(first.askings, asking{as: r.ownClient(), self: true, after: first.after, text: first.again})
	}
	for i, as := range []client{otherClient(), r.ownClient(), otherClient()} {
		got, err := r.holdConversation(ctx, t, conversation{as: as, era: first.era})
		if errors.Is(err, interrupt.Err) {
			return err
		}
		first.askings = append(first.askings, asking{as: as, self: as == r.ownClient(), text: got.Text, err: err})
		first.contact.NoteAsking(err, got.Text != first.Text)
		if i == 0 && (err != nil || got.Text == first.Text) {
			break
		}
	}
	return nil
}

// addAskings adds what a catalog's server said at other times.
func (g *Gathered) addAskings(of *catalog.Server, askings []asking, limits catalog.Limits) {
	for _, q := range askings {
		var held *catalog.Catalog
		err := q.err
		if err == nil {
			limits.Bytes = len(q.text)
			held, err = catalog.Parse("", q.text, limits)
		}
		if err != nil {
			g.Failures = append(g.Failures, finding.Problem{Kind: finding.Failed,
				Message: fmt.Sprintf("asked as %q: %s", q.as.name, err), Location: finding.Location{Server: of.Name, Origin: of.Document.Origin}})
			continue
		}
		held.Documents[0].Origin = of.Document.Origin
		for i := range held.Problems {
			held.Problems[i].Location.Origin = of.Document.Origin
		}
		g.Askings = append(g.Askings, check.Asking{Of: of, Catalog: held, As: q.as.name, Self: q.self, After: q.after})
	}
}
