package classify

import (
	"strings"
	"testing"

	"gauntlet/capability"
	"gauntlet/sink"
)

func TestWithSources(t *testing.T) {
	label := func(tag capability.Tag, c capability.Confidence) capability.Label {
		return capability.Label{Tag: tag, Confidence: c, Evidence: []string{"name_token:x"}, Signals: []capability.Signal{}}
	}
	s := &capability.Server{Tools: []capability.Tool{
		{Name: "confirmed", Capabilities: []capability.Label{label(capability.FSRead, capability.Medium)}},
		{Name: "taken_back", Capabilities: []capability.Label{label(capability.NetEgress, capability.High)}},
		{Name: "unreadable", Capabilities: []capability.Label{label(capability.NetEgress, capability.High)}},
		{Name: "hidden", Capabilities: []capability.Label{label(capability.DBQuery, capability.Low)}},
		{Name: "elsewhere", Capabilities: []capability.Label{label(capability.Exec, capability.Medium)}},
		{Name: "nowhere", Capabilities: []capability.Label{label(capability.FSWrite, capability.High)}},
	}}
	at := sink.Place{File: "src/a.py", Line: 3, Start: 10, End: 20}
	call := func(tag capability.Tag) []sink.Call {
		return []sink.Call{{Tag: tag, Strength: sink.Strong, Kind: "ast_sink", Name: "open()", At: at}}
	}
	src := &sink.Sources{Handlers: []sink.Handler{
		{Tool: "confirmed", Calls: call(capability.FSRead)},
		{Tool: "taken_back", At: at},
		{Tool: "unreadable", Gaps: []sink.Gap{{Reason: sink.OutsidePackage, Detail: "sdk.go()", At: at}, {}, {}, {}, {}}},
		{Tool: "hidden", Calls: call(capability.Exec)},
		{Tool: "elsewhere", Calls: call(capability.NetEgress)},
	}}
	WithSources(s, src)
	for _, tt := range []struct {
		tool    string
		mode    capability.Mode
		tag     capability.Tag
		want    capability.Confidence
		warning string
	}{
		{"confirmed", capability.WithSource, capability.FSRead, capability.High, ""},
		{"taken_back", capability.WithSource, capability.NetEgress, capability.Low, "weak_signal: the definition says net_egress, and its handler at src/a.py:3, read whole, does not"},
		{"unreadable", capability.WithSource, capability.NetEgress, capability.High, "source_incomplete: outside_package: sdk.go() (src/a.py:3), "},
		{"hidden", capability.WithSource, capability.Exec, capability.Medium, "weak_signal: the definition says db_query"},
		{"elsewhere", capability.WithSource, capability.Exec, capability.Medium, "source_incomplete: what the service does that it asks is not in the source"},
		{"nowhere", "", capability.FSWrite, capability.High, "no_handler: "},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			var tool *capability.Tool
			for i := range s.Tools {
				if s.Tools[i].Name == tt.tool {
					tool = &s.Tools[i]
				}
			}
			l := tool.Has(tt.tag, capability.Low)
			if tool.Mode != tt.mode || l == nil || l.Confidence != tt.want {
				t.Errorf("mode %q, label %+v, want %q and %s %s", tool.Mode, l, tt.mode, tt.tag, tt.want)
			}
			if got := strings.Join(tool.Warnings, "\n"); tt.warning == "" && got != "" || !strings.HasPrefix(got, tt.warning) {
				t.Errorf("warnings %q, want %q", got, tt.warning)
			}
		})
	}
	confirmed := s.Tools[0].Capabilities[0]
	if got := strings.Join(confirmed.Evidence, " "); got != "name_token:x ast_sink:open()@src/a.py:3" {
		t.Errorf("evidence %q", got)
	}
	if g := confirmed.Signals[0]; g.Source != capability.FromSource || g.File != "src/a.py" || g.Line != 3 || g.Start != 10 || g.End != 20 {
		t.Errorf("signal %+v", g)
	}
	if len(s.Capabilities) != 4 || s.Capabilities[0] != capability.Exec { // exec, fs_read, fs_write, net_egress at high or medium
		t.Errorf("the server is added up again: got %v", s.Capabilities)
	}
}

// TestSilenceOfHalf: a tool without a label says so where its handler could not be read whole.
func TestSilenceOfHalf(t *testing.T) {
	s := &capability.Server{Tools: []capability.Tool{{Name: "half"}, {Name: "whole"}}}
	WithSources(s, &sink.Sources{Handlers: []sink.Handler{
		{Tool: "half", Gaps: []sink.Gap{{Reason: sink.OutsidePackage, Detail: "sdk.go()"}}},
		{Tool: "whole"},
	}})
	if got := strings.Join(s.Tools[0].Warnings, "\n"); !strings.HasPrefix(got, "source_incomplete: ") {
		t.Errorf("half: warnings %q", got)
	}
	if got := s.Tools[1].Warnings; len(got) != 0 {
		t.Errorf("whole: warnings %q", got)
	}
}

// TestSharedCalls: what half of the tools reach without a word of it is the server's, and what one reaches is its own.
func TestSharedCalls(t *testing.T) {
	log := sink.Call{Tag: capability.FSWrite, Strength: sink.Strong, Kind: "ast_sink", Name: "open()", At: sink.Place{File: "log.py", Line: 3, Start: 10}}
	ask := sink.Call{Tag: capability.NetEgress, Strength: sink.Strong, Kind: "ast_sink", Name: "get()", At: sink.Place{File: "api.py", Line: 5, Start: 20}}
	own := sink.Call{Tag: capability.FSWrite, Strength: sink.Strong, Kind: "ast_sink", Name: "open()", At: sink.Place{File: "out.py", Line: 7, Start: 30}}
	s, src := &capability.Server{}, &sink.Sources{}
	for _, name := range []string{"a", "b", "c", "d"} {
		said := []capability.Label{{Tag: capability.NetEgress, Confidence: capability.Medium}}
		if name == "d" {
			said = nil // the definition of one does not speak of the requests that all make
		}
		s.Tools = append(s.Tools, capability.Tool{Name: name, Capabilities: said})
		src.Handlers = append(src.Handlers, sink.Handler{Tool: name, Calls: []sink.Call{log, ask}})
	}
	src.Handlers[0].Calls = append(src.Handlers[0].Calls, own)
	WithSources(s, src)
	if got := strings.Join(s.SharedCalls, ", "); got != "fs_write ast_sink:open()@log.py:3" {
		t.Errorf("shared: %s", got)
	}
	for i, want := range []string{"fs_write", "", "", ""} {
		if has := s.Tools[i].Has(capability.FSWrite, capability.Medium) != nil; has != (want != "") {
			t.Errorf("%s: %+v", s.Tools[i].Name, s.Tools[i].Capabilities)
		}
		if s.Tools[i].Has(capability.NetEgress, capability.Medium) == nil {
			t.Errorf("%s makes requests: %+v", s.Tools[i].Name, s.Tools[i].Capabilities)
		}
	}
}

// TestCommonCalls: what a dispatcher does for every tool raises no label of a tool that does nothing of its own, unless that is
// what most tools do.
func TestCommonCalls(t *testing.T) {
	refresh := sink.Call{Tag: capability.NetEgress, Strength: sink.Strong, Kind: "ast_sink", Name: "Client()", At: sink.Place{File: "index.js", Line: 3, Start: 10},
		Chain: []sink.Step{{Func: "refresh", At: sink.Place{File: "index.js", Start: 90}}}}
	for _, tt := range []struct {
		name string
		own  int // tools with a request of their own
		want capability.Confidence
	}{
		{"most tools ask for themselves", 3, capability.Medium},
		{"one function asks for all", 0, capability.High},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, src := &capability.Server{}, &sink.Sources{}
			for i, name := range []string{"a", "b", "c", "d"} {
				s.Tools = append(s.Tools, capability.Tool{Name: name, Capabilities: []capability.Label{{Tag: capability.NetEgress, Confidence: capability.Medium}}})
				calls := []sink.Call{refresh}
				if i < tt.own {
					calls = append(calls, sink.Call{Tag: capability.NetEgress, Strength: sink.Strong, Kind: "ast_sink", Name: "get()", At: sink.Place{File: "api.js", Line: 5, Start: 20 + i}})
				}
				src.Handlers = append(src.Handlers, sink.Handler{Tool: name, Calls: calls})
			}
			WithSources(s, src)
			if got := s.Tools[3].Capabilities[0].Confidence; got != tt.want {
				t.Errorf("without a request of its own: %s, want %s", got, tt.want)
			}
			if got := s.Tools[0].Capabilities[0].Confidence; got != capability.High {
				t.Errorf("with one: %s, want high", got)
			}
		})
	}
}

// TestFewHandlers: a server of which most handlers were not found says so.
func TestFewHandlers(t *testing.T) {
	s := &capability.Server{Tools: []capability.Tool{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	WithSources(s, &sink.Sources{Handlers: []sink.Handler{{Tool: "a"}}})
	if got := strings.Join(s.Warnings, "\n"); !strings.HasPrefix(got, "few_handlers: the source has handlers for 1 of 3 tools") {
		t.Errorf("warnings %q", got)
	}
	s = &capability.Server{Tools: []capability.Tool{{Name: "a"}, {Name: "b"}}}
	if WithSources(s, &sink.Sources{Handlers: []sink.Handler{{Tool: "a"}}}); len(s.Warnings) != 0 {
		t.Errorf("half of them: warnings %q", s.Warnings)
	}
}
