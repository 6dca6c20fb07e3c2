package launch

import (
	"strings"
	"sync"

	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// tieCalls tells the sandbox when tool calls begin and end, so that events name the call they happened in.
func tieCalls(sb *sandbox.Sandbox, then wire.Tap) wire.Tap {
	var mu sync.Mutex
	open := map[string]func(){}
	return func(p wire.Passage) {
		mu.Lock()
		switch {
		case p.Sent && p.Kind == wire.Request && p.Method == "tools/call":
			open[p.ID] = sb.BeginCall(toolName(p.Params))
		case !p.Sent && open[p.ID] != nil && p.Method == "":
			open[p.ID]()
			delete(open, p.ID)
		}
		mu.Unlock()
		if then != nil {
			then(p)
		}
	}
}

func toolName(params string) string {
	var tree rawjson.Tree
	if tree.Parse(params, 0) != nil {
		return "tools/call"
	}
	return strings.Clone(tree.Root().Get("name").Text())
}
