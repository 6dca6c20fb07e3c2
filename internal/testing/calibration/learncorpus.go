package calibration

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
)

// Lists are what was learnt from corpora: the texts of the classifier's two lists of weights.
type Lists struct {
	Tags, Roles string

	learnt *Learnt // of tags, with what it was learnt from
	things []Observed
}

// learning says how both lists are learnt. Words are shrunk more than meanings, since a word that a few servers
// have in common may be a habit of theirs.
func learning(labels []string, folds int) *Learning {
	return &Learning{Labels: labels, Folds: folds, Ridge: ridgeOf, Lasso: .3, FewestServers: 3}
}

// How much weights are shrunk.
const (
	ridgeMeaning = 1
	ridgeOthers  = 2 // there are far fewer servers than tools
	ridgeWord    = 3
)

func ridgeOf(observation string) float64 {
	kind, _, _ := strings.Cut(observation, ":")
	switch {
	case kind == "verdict":
		return math.Inf(1)
	case strings.HasPrefix(kind, "others "), strings.HasPrefix(kind, "instructions"), kind == "server_name":
		return ridgeOthers
	case strings.HasPrefix(kind, "r_tool"), kind == "r_prose_word":
		return ridgeOthers
	case kind == "word", strings.HasSuffix(kind, "_word") && !strings.HasPrefix(kind, "r_"), kind == "param":
		return ridgeWord
	}
	return ridgeMeaning
}

// Learn learns the lists of weights from corpora. Tools are learnt from with the roles that their parameters get from weights that
// were learnt without their server, as they are met in use.
func Learn(corpora []*Corpus, folds int) *Lists {
	all := flatten(corpora)
	out := &Lists{}
	roles := learnRoles(all.servers, all.truths, all.counts, folds, out)
	out.learnTags(all.servers, all.truths, all.counts, folds, roles)
	return out
}

// examples are the servers of several corpora, what is true of them and how much each counts. The lists go together.
type examples struct {
	servers []*catalog.Server
	truths  []*Truth
	counts  []float64
}

func flatten(corpora []*Corpus) (out examples) {
	for i, c := range corpora {
		for j, s := range c.servers {
			n := 3 / math.Sqrt(float64(len(s.Tools())))
			if i > 0 { // the rules were made with the first corpus in view
				n *= 2
			}
			out.servers, out.truths, out.counts = append(out.servers, s), append(out.truths, c.truths[j]), append(out.counts, n)
		}
	}
	return out
}

type parameterKey struct {
	server          int
	tool, parameter string
}

// learnRoles learns the roles of parameters and returns the log-odds for each by weights from other servers.
func learnRoles(servers []*catalog.Server, truths []*Truth, counts []float64, folds int, lists *Lists) map[parameterKey][]float64 {
	var labels []string
	for _, r := range capability.Roles() {
		labels = append(labels, string(r))
	}
	var things []Observed
	var keys []parameterKey
	for i, s := range servers {
		for _, f := range parameterFacts(s) {
			want, ok := truths[i].Tools[f.tool].Roles[f.parameter]
			if !ok {
				continue
			}
			t := Observed{Server: truths[i].Server, Count: counts[i], Names: f.names, Values: f.values}
			accepted := strings.Split(want, "|")
			for _, l := range labels {
				switch slices.Index(accepted, l) {
				case 0:
					t.Labels = append(t.Labels, 1)
				case -1:
					t.Labels = append(t.Labels, -1)
				default:
					t.Labels = append(t.Labels, 0)
				}
			}
			things, keys = append(things, t), append(keys, parameterKey{i, f.tool, f.parameter})
		}
	}
	learnt := learning(labels, folds).Learn(things)
	lists.Roles = learnt.Rows(labels, nil)
	out := map[parameterKey][]float64{}
	for i, key := range keys {
		out[key] = learnt.Unseen[i]
	}
	return out
}

// levelShares are the shares of labels that are right at the least log-odds of a level, on unseen servers. Above it more
// are right. TestFit says what each choice gives on families that were left out.
type levelShares struct{ high, medium float64 }

// low is from which log-odds on a label is shown at all.
const low = -.2

// A tagGroup is tags whose thresholds are learnt together, since they are too few for each to have its own: what the rules say of files, of
// databases, of requests, and of the rest is worth different things.
type tagGroup struct {
	tags   []capability.Tag
	shares levelShares
}

var tagGroups = []tagGroup{
	{[]capability.Tag{capability.FSRead, capability.FSWrite}, levelShares{.85, .45}},
	{[]capability.Tag{capability.DBQuery, capability.DBWrite}, levelShares{.8, .5}},
	{[]capability.Tag{capability.NetEgress}, levelShares{.75, .6}},
	{[]capability.Tag{capability.Exec, capability.SecretAccess, capability.NetIngress}, levelShares{.7, .45}},
}

// rulesSay is the witness beside the weights: how sure the rules are.
func rulesSay(t *Observed, label int) int {
	tag := string(capability.Tags()[label])
	for _, name := range t.Names {
		if said, ok := strings.CutPrefix(name, "verdict:"); ok {
			if of, sure, _ := strings.Cut(said, " "); of == tag {
				return max(0, slices.Index(classify.RuleVerdicts, sure))
			}
		}
	}
	return 0
}

// learnThresholds learns from which log-odds on a tag is at high and at medium, by what the rules say. Shares of its own that a group has are
// overruled by those given, unless they are zero.
func learnThresholds(learnt *Learnt, things []Observed, instead levelShares) map[string][]float64 {
	rows := map[string][]float64{"low": make([]float64, len(capability.Tags()))}
	for i := range rows["low"] {
		rows["low"][i] = low
	}
	for _, group := range tagGroups {
		var labels []int
		for _, tag := range group.tags {
			labels = append(labels, slices.Index(capability.Tags(), tag))
		}
		use := group.shares
		if instead != (levelShares{}) {
			use = instead
		}
		shares := map[string]float64{"high": use.high, "medium": use.medium}
		for level, share := range shares {
			for k, z := range learnt.Thresholds(things, labels, rulesSay, len(classify.RuleVerdicts), share) {
				row := classify.ThresholdRow(level, k)
				if rows[row] == nil {
					rows[row] = make([]float64, len(capability.Tags()))
				}
				for _, label := range labels {
					rows[row][label] = z
				}
			}
		}
	}
	return rows
}

func (out *Lists) learnTags(servers []*catalog.Server, truths []*Truth, counts []float64, folds int, roles map[parameterKey][]float64) {
	var labels []string
	for _, t := range capability.Tags() {
		labels = append(labels, string(t))
	}
	var things []Observed
	for i, s := range servers {
		seen := map[string]bool{}
		for _, f := range toolFacts(s, func(tool, parameter string) (z [8]float32, ok bool) {
			for k, v := range roles[parameterKey{i, tool, parameter}] {
				z[k], ok = float32(v), true
			}
			return z, ok
		}) {
			truth, ok := truths[i].Tools[f.tool]
			if !ok || seen[f.tool] {
				continue
			}
			seen[f.tool] = true
			t := Observed{Server: truths[i].Server, Tool: f.tool, Count: counts[i], Names: f.names, Values: f.values}
			for _, tag := range capability.Tags() {
				t.Labels = append(t.Labels, truth.Learnable(tag))
			}
			things = append(things, t)
		}
	}
	out.learnt, out.things = learning(labels, folds).Learn(things), things
	out.Tags = out.tagsAt(levelShares{})
}

// tagsAt returns the list of tags with thresholds for these shares, for those in use if they are zero.
func (out *Lists) tagsAt(shares levelShares) string {
	var labels []string
	for _, t := range capability.Tags() {
		labels = append(labels, string(t))
	}
	return out.learnt.Rows(labels, learnThresholds(out.learnt, out.things, shares))
}

// learnFolds is how many groups the servers are dealt out to where weights are tried on servers that they were not learnt from.
const learnFolds = 4

// LearnTo learns from corpora, writes the lists below a directory, and returns how often labels are right on servers that the weights
// were not learnt from.
func LearnTo(dir string, corpora []*Corpus) ([]*Score, error) {
	lists := Learn(corpora, learnFolds)
	unseen, err := CrossValidate(corpora, learnFolds, learnFolds)
	if err != nil {
		return nil, err
	}
	return unseen, lists.Write(dir)
}

// CrossValidate deals the servers out to folds and classifies each fold by weights that were learnt from the others alone, thresholds
// included. The scores are those of each corpus, in their order.
func CrossValidate(corpora []*Corpus, outer, inner int) ([]*Score, error) {
	cases := make([][]Case, len(corpora))
	for fold := range outer {
		var rest []*Corpus
		for _, c := range corpora {
			rest = append(rest, c.without(fold, outer))
		}
		l := Learn(rest, inner)
		weights, err := classify.ParseWeights(l.Tags, l.Roles)
		if err != nil {
			return nil, err
		}
		for i, c := range corpora {
			for j, s := range c.servers {
				if j%outer == fold {
					p := (&classify.Lens{Weights: weights}).Server(s)
					cases[i] = append(cases[i], Case{Truth: c.truths[j], Predicted: &p, Mode: capability.DefinitionOnly})
				}
			}
		}
	}
	var out []*Score
	for _, c := range cases {
		out = append(out, Of(c))
	}
	return out, nil
}

// without returns the corpus without one fold of its servers.
func (c *Corpus) without(fold, of int) *Corpus {
	out := &Corpus{}
	for j := range c.servers {
		if j%of != fold {
			out.names, out.servers, out.truths = append(out.names, c.names[j]), append(out.servers, c.servers[j]), append(out.truths, c.truths[j])
		}
	}
	return out
}

// Write writes the lists as the classifier embeds them.
func (out *Lists) Write(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "weights.txt"), []byte(out.Tags), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "roleweights.txt"), []byte(out.Roles), 0o644)
}

// WriteUnseen writes the scores of [CrossValidate], a line a tag.
func WriteUnseen(w io.Writer, names []string, scores []*Score) error {
	for i, s := range scores {
		fmt.Fprintf(w, "%s: on servers that the weights were not learnt from\n", names[i])
		for _, t := range append(slices.Clone(s.Tags), s.Micro) {
			name := string(t.Tag)
			if name == "" {
				name = "all"
			}
			fmt.Fprintf(w, "  %-13s of %4d: high %s, high and medium %s\n", name, t.Positives, shares(t.High), shares(t.Acted))
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// shares writes precision and recall.
func shares(c Count) string {
	p, _ := c.Precision()
	r, _ := c.Recall()
	return fmt.Sprintf("%.3f right, %.3f found", p, r)
}
