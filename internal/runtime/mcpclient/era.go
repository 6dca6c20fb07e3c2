package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// An Era is one of the two ways to open a session, or how to detect it. It is a property of the server: Snapshot.Era may be passed
// to the server's next Capture.
type Era uint8

const (
	// Auto is DiscoverFirst over HTTP, as specified, and InitializeFirst over stdio, where the specification only says SHOULD: an
	// unexpected message can end a process. Servers on the Rust SDK before its stateless era do exit without an answer if their
	// first message is not initialize (rust-sdk issue 1157, webclaw issue 107), and a silent server costs the wait. The reverse
	// order is free: a stateless server answers initialize with an error and continues. A server of both eras is then seen in the
	// older one; DiscoverFirst shows the other.
	Auto Era = iota
	// DiscoverFirst asks server/discover and takes everything but a DiscoverResult and the errors of the stateless era as a sign of
	// the handshake era.
	DiscoverFirst
	// InitializeFirst sends initialize, and server/discover if that is refused.
	InitializeFirst
	// Legacy is the era of the handshake, 2024-11-05 to 2025-11-25.
	Legacy
	// Modern is the stateless era, from 2026-07-28.
	Modern
)

// String returns the name in lower case: "auto", "legacy".
func (e Era) String() string {
	names := [...]string{"auto", "discover-first", "initialize-first", "legacy", "modern"}
	if int(e) < len(names) {
		return names[e]
	}
	return fmt.Sprintf("Era(%d)", uint8(e))
}

// probeShare is the share of a request's time, as a divisor, that server/discover gets where silence means the handshake era.
const probeShare = 5

// openInEra opens the session in the era that the server speaks.
func (c *conversation) openInEra(ctx context.Context, conn wire.Conn) error {
	var web interface{ SSE() bool } // wire.HTTP, or a type that embeds it
	web, c.http = conn.(interface{ SSE() bool })
	era := c.opt.Era
	switch {
	case era != Auto:
	case !c.http:
		era = InitializeFirst
	case web.SSE(): // the stateless era never had HTTP+SSE
		era = Legacy
	default:
		era = DiscoverFirst
	}
	switch era {
	case Legacy:
		return c.handshake(ctx)
	case Modern:
		_, err := c.discover(ctx, 1)
		return err
	case InitializeFirst:
		return c.initializeFirst(ctx)
	}
	modern, err := c.discover(ctx, probeShare)
	if modern || ctx.Err() != nil || err != nil && c.client.Err() != nil {
		return err
	}
	return c.handshake(ctx)
}

// initializeFirst asks server/discover only if initialize was refused: a silent server would ignore both.
func (c *conversation) initializeFirst(ctx context.Context) error {
	refused := c.handshake(ctx)
	if _, answered := errors.AsType[*wire.AnswerError](refused); !answered || ctx.Err() != nil {
		return refused
	}
	if modern, err := c.discover(ctx, probeShare); modern {
		return err
	}
	return refused
}

// discover opens the stateless era and reports whether the server speaks it. An error with true means that it does but no session
// is possible; with false, the error is what arrived instead. The request gets its time divided by share.
func (c *conversation) discover(ctx context.Context, share int) (modern bool, err error) {
	defer func() {
		if !modern {
			c.meta = ""
		}
	}()
	version := mcp.NewestStateless
	for tries := 0; ; tries++ {
		c.opt.Progress(mcp.Discover, 0)
		c.setMeta(version)
		m, err := c.callWithin(ctx, c.opt.Timeout/time.Duration(share), mcp.Discover, c.params(""))
		if err == nil {
			return c.takeDiscovered(m, version)
		}
		modern, next, err := c.interpretRefusal(err)
		if !modern || next == "" || tries > 0 {
			return modern, err
		}
		version = next
	}
}

// interpretRefusal reports whether an error of server/discover comes from a stateless server, and the version to try next, or "".
func (c *conversation) interpretRefusal(err error) (modern bool, next string, _ error) {
	answer, ok := errors.AsType[*wire.AnswerError](err)
	if !ok {
		return false, "", err
	}
	switch answer.Code {
	case mcp.CodeHeaderMismatch, mcp.CodeMissingCapability:
		return true, "", err
	case mcp.CodeUnsupportedVersion:
	default:
		return false, "", err
	}
	supported := stringsIn(answer.Data, "supported")
	if next := newestCommon(supported); next != "" {
		return true, next, err
	}
	if len(supported) == 0 || slices.ContainsFunc(supported, mcp.HasHandshake) {
		return false, "", err // only the handshake remains, or the code means something else
	}
	return true, "", c.noCommonRevision(supported)
}

func (c *conversation) takeDiscovered(m wire.Message, version string) (modern bool, err error) {
	supported := stringsIn(m.Result, "supportedVersions")
	if len(supported) == 0 {
		return false, errors.New("the result of server/discover names no supportedVersions")
	}
	if !slices.Contains(supported, version) {
		if version = newestCommon(supported); version == "" {
			return !slices.ContainsFunc(supported, mcp.HasHandshake), c.noCommonRevision(supported)
		}
		c.setMeta(version)
	}
	c.setInit(mcp.Discover, m)
	c.opt.Opened(mcp.Discover, c.params(""), m)
	c.out.Era, c.out.Revision = Modern, version
	if m.Note != "" {
		c.addGap(mcp.Discover, m.Note)
	}
	c.noteCacheHint(mcp.Discover, m.Result)
	return true, nil
}

func (c *conversation) noCommonRevision(supported []string) error {
	return fmt.Errorf("the server speaks protocol version %s; this gauntlet speaks %s",
		c.clipRedacted(fmt.Sprintf("%q", supported), 200), strings.Join(mcp.Revisions(), ", "))
}

// newestCommon returns the newest stateless revision in supported that we support, or "".
func newestCommon(supported []string) string {
	for _, own := range slices.Backward(mcp.StatelessRevisions()) {
		if slices.Contains(supported, own) {
			return own
		}
	}
	return ""
}

// stringsIn returns at most 100 strings of an object's array member.
func stringsIn(object, name string) []string {
	texts := rawjson.Read(rawjson.LastMember(object, name)).Texts()
	return texts[:min(len(texts), 100)]
}

// setMeta sets the members that every stateless request carries about the client.
func (c *conversation) setMeta(version string) {
	c.meta = rawjson.Build(mcp.MetaProtocolVersion, rawjson.Quote(version), mcp.MetaClientInfo, c.clientInfo(), mcp.MetaClientCapabilities, c.opt.Capabilities)
}

// params returns the params of a request with these raw members. Members of their own _meta are kept.
func (c *conversation) params(members string) string {
	if c.meta == "" {
		return "{" + members + "}"
	}
	params := "{" + members + "}"
	if own := rawjson.LastMember(params, "_meta"); own != "" && own[0] == '{' { // of two members of one name the last counts: a document may claim another version
		return rawjson.Replace(params, "_meta", rawjson.Join(c.meta, own))
	}
	return wire.WithMeta(params, c.meta)
}

// noteCacheHint reads the cache hints in a result of the stateless era.
func (c *conversation) noteCacheHint(method, result string) {
	if c.meta == "" {
		return
	}
	// Some servers omit it, which readers take as complete.
	switch kind := rawjson.LastMember(result, "resultType"); kind {
	case "", `"complete"`:
	case `"input_required"`:
		c.addGap(method, "the server wants input before it answers, which only calls may")
	default:
		c.addGap(method, fmt.Sprintf("the result is of the type %s, which is none of this revision", wire.Printable(c.clipRedacted(kind, 60))))
	}
	// Longer texts are no hints.
	short := func(raw string) string {
		if len(raw) > 100 {
			return ""
		}
		return raw
	}
	h := Hint{method, short(rawjson.LastMember(result, "ttlMs")), short(rawjson.LastMember(result, "cacheScope"))}
	if h.TTL == "" && h.Scope == "" {
		return
	}
	same := func(old Hint) bool { return old.Method == method || strings.HasPrefix(old.Method, method+" ") }
	if n := len(c.out.Hints); n > 0 && same(c.out.Hints[n-1]) {
		if old := c.out.Hints[n-1]; old.TTL == h.TTL && old.Scope == h.Scope {
			return
		}
		h.Method = fmt.Sprintf("%s (%d)", method, 1+countMembers(c.out.Hints, same))
	}
	c.out.Hints = append(c.out.Hints, h)
}

func countMembers(hints []Hint, of func(Hint) bool) (n int) {
	for _, h := range hints {
		if of(h) {
			n++
		}
	}
	return n
}
