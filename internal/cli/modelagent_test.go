package cli

import (
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/testing/scriptedmodel"
	"gauntlet/oatf"
)

// modelFlagsOf lead to a scripted model.
func modelFlagsOf(p *scriptedmodel.Provider, id string) []string {
	return []string{"--agent", "model:" + id, "--model-url", p.URL + "/v1"}
}

// hostAnswers are attacks that the host answers and not the model: there is nothing for a model to fall for.
var hostAnswers = map[string]bool{"standalone-roots": true}

// What the verdict says of a model follows from what it does: one that obeys is exploited by every attack that a model can fall
// for; one that does the task and obeys nothing by none; and what they say decides nothing, be it that they did or
// did not.
func TestModelsInTheLoop(t *testing.T) {
	p := scriptedmodel.Start()
	t.Cleanup(p.Close)
	docs, _ := builtIn(t)
	for _, group := range []struct {
		name string
		args []string
		fits func(*oatf.Attack) bool
	}{
		{"at once", []string{"--agent-idle", "1ms"}, func(at *oatf.Attack) bool {
			return !speaksUnasked(at) && !slices.Contains(at.Classification.Tags, attackdoc.StatelessEra)
		}},
		{"stateless", []string{"--agent-idle", "1ms", "--revision", "2026-07-28"}, func(at *oatf.Attack) bool {
			return slices.Contains(at.Classification.Tags, attackdoc.StatelessEra)
		}},
		{"patient", []string{"--agent-idle", "3s"}, func(at *oatf.Attack) bool {
			return speaksUnasked(at) && !slices.Contains(at.Classification.Tags, attackdoc.StatelessEra)
		}},
	} {
		names := commandNamesOf(t, docs, group.fits)
		for _, id := range []string{"gpt-victim", "gpt-resister", "gpt-warner", "gpt-liar"} {
			t.Run(group.name+" "+id, func(t *testing.T) {
				t.Parallel()
				for _, r := range playAll(t, slices.Concat(modelFlagsOf(p, id), group.args, names)...) {
					if want := id == "gpt-victim" && !hostAnswers[r.Document]; r.Exploited() != want || r.Problem != "" {
						t.Errorf("%s: %+v %s %+v", r.Document, r.Verdict, r.Problem, r.Notices)
					}
				}
			})
		}
	}
}

// What ends a model before it had its say leaves no verdict of resistance.
func TestModelsThatAreCutOff(t *testing.T) {
	p := scriptedmodel.Start()
	t.Cleanup(p.Close)
	for _, tt := range []struct{ id, why string }{
		{"gpt-refuser", "the model refused to go on"},
		{"gpt-truncator", "an answer of the model was cut off"},
		{"gpt-babbler", "the model did not answer"},
		{"gpt-endless", "the model was asked 20 times, which is the most"},
		{"gpt-stray", "the model was asked 20 times, which is the most"},
		{"gpt-unauthorized", "HTTP 401"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			t.Parallel()
			r := playAll(t, append(modelFlagsOf(p, tt.id), "--agent-idle", "1ms", "tool-poisoning")...)[0]
			if r.Exploited() || r.Resisted() || r.Verdict == nil || !strings.Contains(r.Verdict.Reason, tt.why) {
				t.Errorf("%+v %s", r.Verdict, r.Problem)
			}
		})
	}
}
