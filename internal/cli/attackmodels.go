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
)

// openAdviser opens --model, which writes the texts that documents leave to a model and scores semantic indicators. It shares
// ceilings and account with a model under attack.
func (r *attackRunCommand) openAdviser(texts []attackdoc.Text) error {
	if len(r.scorer) == 0 {
		return nil
	}
	if !r.semantic && len(attackdoc.Playable(texts, r.limits.Limits, advise.LeavesToModel)) == 0 {
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

// tellModelPlans says what models will be asked. With --plan nothing else happens.
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
		runs := len(attackdoc.Playable(texts, r.limits.Limits, attackrun.HasServer)) * r.repeat
		runs *= 2 // each may need a control run
		plans = append(plans, set.PlanLoops(set.Clients[0], runs, r.agent.turns, modelagent.DefaultTokens))
	}
	if r.adviser != nil {
		set = r.adviser
		plans = append(plans, advise.PlanSyntheses(r.adviser, attackdoc.Playable(texts, r.limits.Limits, advise.LeavesToModel), r.repeat))
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
