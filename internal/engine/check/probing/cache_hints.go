package probing

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// ListStep is the step of P31 with which every conversation of revision 2026-07-28 begins.
const ListStep = "tools/list"

// OtherUser is the step of P31 with a second token.
const OtherUser = "tools/list with another token"

var _ = add(Probe{
	ID: "P31", Asks: "whether lists say for how long and for whom they hold", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Stateless,
	Steps: []Step{{Name: ListStep, Body: statelessList}},
	Judge: judgeCache,
	Rule: check.Check{
		ID: "GNT-448", Name: "cache-hints", Severity: finding.Low, Axis: "transport",
		Taxonomy: "MCP07:2025 weak, ASI03 weak, CWE-524 close, L5 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching",
		Doc: `A list of revision 2026-07-28 has no ttlMs of zero or more, or a cacheScope that is neither public nor private; severity high where it says
public and two users get different lists: a cache in between then hands one user's list to another.`,
		Advice: "Send ttlMs and cacheScope with every list; say private where the list depends on who asks.",
	},
})

func judgeCache(e *probe.Protocol) Verdict {
	x := e.Find("P31", ListStep)
	if x == nil || !x.Answered || !isResult(x) {
		return Verdict{}
	}
	r := message(x.Body).Get("result")
	ttl, whole := r.Get("ttlMs").Int()
	scope := r.Get("cacheScope").Text()
	switch {
	case r.Get("ttlMs").Kind() != rawjson.Number || whole && ttl < 0 || strings.HasPrefix(r.Get("ttlMs").Raw(), "-"):
		return brokenBy(x, "the list of tools has no ttlMs of zero or more")
	case scope != "public" && scope != "private":
		return brokenBy(x, "the list of tools has no cacheScope of public or private")
	}
	if other := e.Find("P31", OtherUser); other != nil && isResult(other) && scope == "public" && r.Get("tools").Sorted() != message(other.Body).Get("result").Get("tools").Sorted() {
		v := brokenBy(x, "the list of tools says that it is public, and another user gets another one")
		v.Severity = finding.High
		return v
	}
	return held("ttlMs " + excerpt.Clip(r.Get("ttlMs").Raw(), 20) + ", cacheScope " + scope)
}
