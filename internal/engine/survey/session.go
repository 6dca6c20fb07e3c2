package survey

import (
	"gauntlet/internal/engine/callgraph"
	"slices"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// sessionID is what variables and members that hold the id of a session are called.
var sessionID = lazyregexp.New(`(?i)^(mcp_?)?session_?id(entifier)?$`)

// weakChance are functions whose answers can be guessed, as they are called.
var weakChance = []string{"Math.random", "Date.now", "performance.now", "time.time", "time.time_ns", "random.random", "random.randint", "random.choice", "random.choices",
	"random.getrandbits", "math/rand.Int", "math/rand.Intn", "math/rand.Int63", "math/rand.Uint64"}

var strongChance = callgraph.Names("randomUUID uuid4 v4 uuidv4 randomBytes getRandomValues token_hex token_urlsafe nanoid NewString New NewRandom Text createHmac SystemRandom")

// readSessionIDs notes ids of sessions that others can guess. Where nobody but the client that started the server speaks to it,
// there is nobody to guess them.
func (s *surveyor) readSessionIDs() {
	if len(s.filesWith("StreamableHTTP", "SSEServerTransport", "SseServerTransport", "mcp-session-id", "Mcp-Session-Id", "streamable-http", "transport=\"http")) == 0 {
		return
	}
	fits := s.filesWith("Math.random", "Date.now", "performance.now", "time.time", "random.", "math/rand")
	// What an analysis or a search calls its session is no session of a client: those are where requests come in.
	serves := s.filesWith("Transport", "transport", "session-id", "req.", "request", "http", "sessions", "Sessions")
	for _, c := range s.g.Program().Calls {
		if f := c.Option("sessionIdGenerator"); fits[c.Scope.File] && f.Is(ir.Function) {
			ir.EachStmt(f.Func.Body, func(st *ir.Stmt) {
				if st.Step == ir.Return {
					s.noteSessionID(st.X)
				}
			})
		}
	}
	s.g.Program().EachSet(func(st *ir.Stmt) {
		if fits[st.X.Scope.File] && serves[st.X.Scope.File] && sessionID.MatchString(st.Target.Text) {
			s.noteSessionID(st.X)
		}
	})
}

func (s *surveyor) noteSessionID(e *ir.Expr) {
	weak := ""
	strong := s.g.Finds(e, func(x *ir.Expr) bool {
		if strongChance[x.Calls()] {
			return true
		}
		if x.Calls() != "" {
			for _, name := range s.g.NamesOf(x) {
				if slices.Contains(weakChance, name) {
					weak = name
				}
			}
		}
		return false
	})
	if weak != "" && !strong {
		s.report(sink.GuessableID, e, "session id", "it is made from "+weak+"(), which others can guess and so take over a session")
	}
}
