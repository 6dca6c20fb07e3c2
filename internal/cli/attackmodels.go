package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/attackrun"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/modelagent"
	"gauntlet/oatf"
)

// openAdviser opens the model of --model, which writes what documents leave to one and scores semantic indicators. It shares ceilings and account
// with a model under attack.
func (r *attackRunCommand) openAdviser(texts []attackdoc.Text) error {
	if len(r.scorer) == 0 {
		return nil
	}
	if !r.semantic && len(r.playable(texts, advise.LeavesToModel)) == 0 {
		return errors.New("--model is for --semantic and for documents that leave something to a model (synthesize), and there is none; a model under attack is --agent model:ID")
	}
	asked := r.agent.models
	asked.ids = r.scorer
	set, err := r.openSharing(&asked, r.models)
	if err != nil {
		return err
	}
	r.adviser = set
	r.player.SynthesizerOf = func(run int) attack.Synthesizer { return &advise.Synthesizer{Client: set.Clients[0], Run: run} }
	if r.semantic {
		r.player.Semantic = r.scorerOf(set)
	}
	return nil
}

// playable returns the documents that can be read and of which something holds.
func (r *attackRunCommand) playable(texts []attackdoc.Text, holds func(*oatf.Document) bool) (docs []*oatf.Document) {
	for _, t := range texts {
		if d, problem := t.Load(r.limits.Limits); problem == "" && holds(d) {
			docs = append(docs, d)
		}
	}
	return docs
}

// tellModelPlans says what models will be asked. With --plan that is all.
func (r *attackRunCommand) tellModelPlans(cmd *cobra.Command, texts []attackdoc.Text) (stop bool, err error) {
	if r.models == nil && r.adviser == nil {
		if r.plan {
			return true, usage(cmd, "--plan wants a model: --model, or --agent model:ID")
		}
		return false, nil
	}
	set := r.models
	var plans []modelset.Plan
	if r.models != nil {
		runs := len(r.playable(texts, attackrun.HasServer)) * r.repeat
		plans = append(plans, set.PlanLoops(set.Clients[0], runs, r.agent.turns, modelagent.DefaultTokens))
	}
	if r.adviser != nil {
		set = r.adviser
		plans = append(plans, advise.PlanSyntheses(r.adviser, r.playable(texts, advise.LeavesToModel), r.repeat))
	}
	if r.plan {
		if r.semantic {
			r.note("what semantic indicators cost depends on what is said in the runs: attack judge --plan counts it for a recording")
		}
		return true, r.writePlans(set, plans)
	}
	set.TellPlans(plans, r.note)
	return false, nil
}
