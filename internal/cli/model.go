package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/internal/run/modelset"
	"gauntlet/internal/runtime/model"
)

// modelFlags select models and bound their cost, for all commands that use one.
type modelFlags struct {
	modelset.Options
	plan bool
}

func (m *modelFlags) addModelFlags(cmd *cobra.Command, what string) {
	f := cmd.Flags()
	f.StringArrayVar(&m.IDs, "model", nil, "ask this model, by `ID` such as claude-sonnet-4-5 or gpt-5: "+what+"; repeatable (default none)")
	f.BoolVar(&m.plan, "plan", false, "print what models would be asked and what it may cost, and ask nothing (default off)")
	m.addLimitFlags(cmd)
}

func (m *modelFlags) addLimitFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&m.URL, "model-url", "", "ask the models at this `URL`, which speaks OpenAI's form, and with the key in "+model.KeyForURL+" if it is set (default where the id says)")
	f.StringVar(&m.CacheDir, "model-cache", "", "keep answers in this `DIR` and do not ask for them again (default none)")
	f.BoolVar(&m.Offline, "offline", false, "answer from --model-cache only (default off)")
	f.Var(boundFlag(&m.Ceiling.Calls), "max-calls", "most calls to all models together (default no bound)")
	f.Var(boundFlag(&m.Ceiling.Tokens), "max-tokens", "most tokens of all models together (default no bound)")
	f.Var(amountFlag(&m.Ceiling.Cost), "max-cost", "most that all models together may cost, in `USD` (default no bound)")
	f.StringVar(&m.Prices, "model-prices", "", "reckon with the prices in this `FILE` (default those built in)")
	f.Var(durationFlag(&m.Timeout, model.DefaultTimeout), "model-timeout", "longest time for one call to a model")
	f.Var(countFlag(&m.Parallel, model.DefaultParallel, 100), "model-parallel", "most calls to one model at the same time")
}

// conflicts name flags that are useless without a model.
func (m *modelFlags) conflicts(cmd *cobra.Command) (out []conflict) {
	for _, name := range [...]string{"model-url", "model-cache", "offline", "plan", "max-calls", "max-tokens", "max-cost", "model-prices", "model-timeout", "model-parallel"} {
		out = append(out, conflict{len(m.IDs) == 0 && cmd.Flags().Changed(name), "--" + name + wantsModel})
	}
	return out
}

const wantsModel = " wants --model, which says whom to ask"

// openModels resolves the models. It asks none, and nothing is read before.
func (a *app) openModels(m *modelFlags) (*modelset.Set, error) { return a.openSharing(m, nil) }

// openSharing is openModels with the ceilings and account of other models in the same run; nil for their own.
func (a *app) openSharing(m *modelFlags, with *modelset.Set) (*modelset.Set, error) {
	opt := m.Options
	if with != nil {
		opt.Ledger = with.Ledger
	}
	opt.Getenv, opt.Agent = a.getenv, "gauntlet/"+version()
	return modelset.Open(opt)
}

func (a *app) writePlans(set *modelset.Set, plans []modelset.Plan) error {
	return a.writeText("-", strings.Join(set.PlanLines(plans), "\n")+"\n")
}

// boundFlag is a countFlag without a default bound.
func boundFlag(to *int) pflag.Value {
	f := countFlag(to, 0, math.MaxInt32).(*value[int])
	f.show = func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	return f
}

// amountFlag is a positive amount of money.
func amountFlag(to *float64) pflag.Value {
	return &value[float64]{to, "USD", func(s string) (float64, error) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v > 0 && v <= 1e6) {
			return 0, fmt.Errorf("%q is not an amount above 0 and up to 1000000", s)
		}
		return v, nil
	}, func(v float64) string {
		if v == 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}}
}
