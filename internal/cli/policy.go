package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/finding"
	"gauntlet/internal/run/userfile"
	"gauntlet/policy"
	"gauntlet/result"
)

// policyFile is where decisions are looked for unless the user names another file.
const policyFile = ".gauntlet.yaml"

// policyFlags say which decisions about findings hold.
type policyFlags struct {
	file string // "" for none
	none bool

	policy   *policy.Policy    // nil before read and where there is no file
	problems []finding.Problem // of the file
}

func (p *policyFlags) addPolicyFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.file, "suppressions", "", "the `FILE` of accepted findings (default "+policyFile+", if it is there)")
	cmd.Flags().BoolVar(&p.none, "no-suppressions", false, "accept no finding, whatever "+policyFile+" says (default off)")
	_ = cmd.MarkFlagFilename("suppressions", "yaml", "yml") // fails only for a flag that is not there
}

// choosePolicyFile settles which file is read, before anything is.
func (p *policyFlags) choosePolicyFile(cmd *cobra.Command) error {
	given := cmd.Flags().Changed("suppressions")
	switch {
	case given && p.none:
		return usage(cmd, "--suppressions and --no-suppressions exclude each other")
	case given && (p.file == "" || p.file == "-"):
		return usage(cmd, "--suppressions names no file")
	case given || p.none:
		return nil
	}
	if _, err := os.Lstat(policyFile); err == nil {
		p.file = policyFile
	}
	return nil
}

// readPolicy reads the file. One that cannot be read accepts nothing and makes the run incomplete.
func (p *policyFlags) readPolicy(a *app, cmd *cobra.Command, limit int) {
	if p.file == "" {
		return
	}
	if !cmd.Flags().Changed("suppressions") {
		// The file of a folder that somebody else filled must not work unnoticed.
		a.note("using %s (--no-suppressions leaves it out)", p.file)
	}
	text, err := a.readText(p.file, limit)
	if err != nil {
		p.problems = []finding.Problem{{Kind: finding.Failed, Input: -1, Location: finding.Location{File: p.file},
			Message: "suppressions: " + userfile.Reason(err).Error()}}
		return
	}
	p.policy, p.problems = policy.Parse(p.file, text)
}

// applyPolicy takes the accepted findings out of the gate's sight, with everything recorded.
func (p *policyFlags) applyPolicy(r *result.Report) {
	r.Problems = append(r.Problems, p.problems...)
	if p.policy != nil {
		p.policy.Apply(r, policy.DateOf(time.Now()))
	}
	r.MergeCauses()
	r.Count()
}
