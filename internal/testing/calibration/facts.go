package calibration

import (
	"sync"

	"gauntlet/catalog"
	"gauntlet/classify"
)

// facts are what was observed about one tool or parameter, for learning how much each observation tells.
type facts struct {
	tool, parameter string
	names           []string  // each as the lists of weights spell it
	values          []float32 // 1, or the share of the server's other tools; of the same length
}

func (f *facts) add(value float32, names ...string) {
	for _, name := range names {
		f.names, f.values = append(f.names, name), append(f.values, value)
	}
}

// observe classifies a server and collects what is observed, by the index of the tool.
func observe(s *catalog.Server, lens classify.Lens) map[int][]classify.Observation {
	var mu sync.Mutex
	out := map[int][]classify.Observation{}
	lens.Seen = func(o classify.Observation) {
		mu.Lock()
		defer mu.Unlock()
		out[o.Tool] = append(out[o.Tool], o)
	}
	lens.Server(s)
	return out
}

// parameterFacts observes every parameter of a server as the rules see it.
func parameterFacts(s *catalog.Server) (out []facts) {
	seen := observe(s, classify.Lens{})
	for i := range s.Tools() {
		var shared []string
		first := len(out)
		for _, o := range seen[i] {
			switch o.Parameter {
			case "":
			case classify.EveryParameter:
				shared = append(shared, o.Name)
			default:
				if n := len(out); n == first || out[n-1].parameter != o.Parameter {
					out = append(out, facts{tool: s.Tools()[i].Name(), parameter: o.Parameter})
					out[n].add(1, shared...)
				}
				out[len(out)-1].add(1, o.Name)
			}
		}
	}
	return out
}

// othersPrefix marks an observation of the server's other tools in a list of weights.
const othersPrefix = "others "

// toolFacts observes every tool of a server. The roles of parameters are those that roleOf's log-odds, in the order of
// [capability.Roles], decide.
func toolFacts(s *catalog.Server, roleOf func(tool, parameter string) ([8]float32, bool)) []facts {
	seen := observe(s, classify.Lens{RoleOf: roleOf})
	out := make([]facts, len(s.Tools()))
	count := map[string]float32{}
	own := make([]map[string]bool, len(out))
	for i := range out {
		out[i].tool, own[i] = s.Tools()[i].Name(), map[string]bool{}
		for _, o := range seen[i] {
			if o.Parameter != "" {
				continue
			}
			out[i].add(1, o.Name)
			if o.Shared {
				own[i][o.Name] = true
				count[o.Name]++
			}
		}
	}
	for i := range out {
		for _, o := range seen[-1] {
			out[i].add(1, o.Name)
		}
		for name, n := range count {
			if own[i][name] {
				n--
			}
			if n > 0 {
				out[i].add(n/float32(len(out)-1), othersPrefix+name)
			}
		}
	}
	return out
}
