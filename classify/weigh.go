package classify

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gauntlet/capability"
)

//go:embed weights.txt
var tagWeightsText string

//go:embed roleweights.txt
var roleWeightsText string

// columns is how many labels a table of weights decides: eight tags, or eight roles.
const columns = 8

// logits are how much speaks for each label, as log-odds.
type logits [columns]float32

func (l *logits) add(m *logits) {
	for i := range l {
		l[i] += m[i]
	}
}

// A weightTable says how much each observation speaks for each label. It was learnt from labelled servers (see calibrate.Fit) and is
// read-only once made.
type weightTable struct {
	bias logits
	// From these log-odds on, a label is high or medium, by what the rules say, and low.
	high, medium [len(ruleVerdicts)]logits
	low          logits
	rows         map[observationKey]logits
}

// Weights are the two tables by which labels are weighed.
type Weights struct{ tags, roles *weightTable }

// defaultWeights are those that the classifier comes with.
var defaultWeights = sync.OnceValue(func() *Weights {
	w, err := ParseWeights(tagWeightsText, roleWeightsText)
	if err != nil {
		panic("classify: " + err.Error()) // embedded, and tested
	}
	return w
})

// ParseWeights reads lists of weights, as calibrate's Learnt.Rows writes them.
func ParseWeights(tags, roles string) (*Weights, error) {
	t, err := parseWeights(tags, tagColumn)
	if err != nil {
		return nil, fmt.Errorf("weights of tags: %w", err)
	}
	r, err := parseWeights(roles, roleColumn)
	if err != nil {
		return nil, fmt.Errorf("weights of roles: %w", err)
	}
	return &Weights{t, r}, nil
}

func tagColumn(name string) int { return slices.Index(tagOrder, capability.Tag(name)) }

func roleColumn(name string) int { return slices.Index(roleOrder, capability.Role(name)) }

// othersPrefix marks an observation of the server's other tools in a list of weights.
const othersPrefix = "others "

// parseWeights reads lines of the form "observation<tab>label=weight label=weight"; "bias" always holds, and "high", "medium"
// and "low" are thresholds.
func parseWeights(text string, column func(string) int) (*weightTable, error) {
	t, n := &weightTable{rows: map[observationKey]logits{}}, 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		name, cells, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("line %d: no weights", n)
		}
		row, err := parseWeightCells(cells, column)
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", n, err)
		case name == "bias":
			t.bias = row
		case name == "low":
			t.low = row
		default:
			if at := t.threshold(name); at != nil {
				*at = row
			} else {
				t.rows[weightKey(name)] = row
			}
		}
	}
	return t, nil
}

func weightKey(name string) observationKey {
	if of, ok := strings.CutPrefix(name, othersPrefix); ok {
		return keyOf(of).ofOthers()
	}
	return keyOf(name)
}

func parseWeightCells(cells string, column func(string) int) (row logits, err error) {
	for cell := range strings.FieldsSeq(cells) {
		label, weight, _ := strings.Cut(cell, "=")
		v, err := strconv.ParseFloat(weight, 32)
		at := column(label)
		if err != nil || at < 0 {
			return row, fmt.Errorf("%q", cell)
		}
		row[at] = float32(v)
	}
	return row, nil
}

func (t *weightTable) sum(keys []observationKey) (out logits) {
	for _, key := range keys {
		if row, known := t.rows[key]; known {
			out.add(&row)
		}
	}
	return out
}

// sumOthers adds up what observations say where other tools of the server share them.
func (t *weightTable) sumOthers(keys []observationKey) (out logits) {
	for _, key := range keys {
		if row, known := t.rows[key.ofOthers()]; known {
			out.add(&row)
		}
	}
	return out
}

// enoughOthers is how many other tools a server needs for what they have in common to count in full.
const enoughOthers = 6

// sumTool adds up what was observed of the tool at hand before judgement, by itself and against the server's other tools.
func (w *toolReader) sumTool(p *profile) logits {
	t := w.weights.tags
	out := t.bias
	own := t.sum(w.seen.keys)
	out.add(&own)
	out.add(&p.about)
	if p.sampled > 1 {
		mine, others := t.sumOthers(w.seen.own), float32(p.sampled-1)
		trust := min(1, others/enoughOthers) // what one or two tools have in common is no second witness
		for i := range out {
			out[i] += trust * (p.others[i] - mine[i]) / others
		}
	}
	return out
}

// weigh adds what the rules found to what the tool's words say.
func (w *toolReader) weigh(p *profile) {
	w.seen.reset()
	w.observeJudgement(p)
	w.weighed = w.unjudged
	said := w.weights.tags.sum(w.seen.keys)
	w.weighed.add(&said)
	for tag := range uint8(tagCount) {
		w.decided[tag] = w.decide(tag, p)
	}
}

// The rules and the weights are two witnesses. How far the word of each carries was learnt from servers that the weights had not seen: the
// surer the rules are, the less weight is needed for a level. These cases are no matter of degree:
const (
	farAgainst    = -3 // the rules know a reason why the label is not there: a secret that is stored, state of the server's own
	lessIfAgainst = 2.5
	lessIfRefused = 2   // the rules have read the secret or the code, and that it is stored, masked, or what runs already
	lessElsewhere = 1   // the rules saw nothing of files or a database, and those of the server are the service's
	lessNamed     = 2.5 // and the parameters name a repository or a bucket, or whole databases are made and not their entries
	lessDoubted   = 2   // the rules saw little, and something against it
	lessIfFew     = 1   // the rules saw nothing, and the weights know hardly a word
)

// ruleVerdicts are how sure the rules can be of a tag, the least first.
var ruleVerdicts = [...]capability.Confidence{"", capability.Low, capability.Medium, capability.High}

// RuleVerdicts are the verdicts of the rules as they appear in Facts ("verdict:exec medium"), the
// least certain first.
var RuleVerdicts = []string{"", "low", "medium", "high"}

// ThresholdRow names the row of a list of weights that holds the log-odds from which a label has a level, given the rules'
// verdict at this index of [RuleVerdicts].
func ThresholdRow(level string, verdict int) string {
	name := RuleVerdicts[verdict]
	if name == "" {
		name = "nothing"
	}
	return level + " where the rules say " + name
}

// threshold returns the thresholds that a row of a list of weights holds, nil if it holds a weight.
func (t *weightTable) threshold(row string) *logits {
	if !strings.Contains(row, " where ") {
		return nil
	}
	for k := range ruleVerdicts {
		switch row {
		case ThresholdRow("high", k):
			return &t.high[k]
		case ThresholdRow("medium", k):
			return &t.medium[k]
		}
	}
	return nil
}

// keptElsewhere reports whether a tag is about what a service may hold instead of this machine.
func keptElsewhere(tag uint8) bool {
	return tag == tFSRead || tag == tFSWrite || tag == tQuery || tag == tDBWrite
}

// verdictForHigh lowers the verdict of the rules on secrets where they have it from one source: a list of what a response holds names
// credentials in passing.
func (w *toolReader) verdictForHigh(tag uint8, verdict int) int {
	if _, sources := w.sumSources(tag); tag == tSecret && sources < 2 && !w.plainly[tag] {
		return min(verdict, 1)
	}
	return verdict
}

// hasTwoLines reports whether at least two of name, description and parameters say anything: one line is never enough for high.
func (w *toolReader) hasTwoLines() bool {
	lines := 0
	for _, said := range [...]bool{!w.nameSet.empty(), w.prose != "", len(w.params) > 0} {
		if said {
			lines++
		}
	}
	return lines >= 2
}

// namesNoFileHere reports whether a tag is about files of this machine, and the client of a service names none: no parameter
// is a path, and nothing says "local".
func (w *toolReader) namesNoFileHere(tag uint8, p *profile) bool {
	if tag != tFSRead && tag != tFSWrite || p.is&remote == 0 || p.unsure || w.localMention.end != 0 {
		return false
	}
	return !slices.ContainsFunc(w.params, func(q parameter) bool { return q.role.role == capability.Path })
}

// isAboutLocalFile reports whether the rules are sure that a tool reads or writes a file of this machine, and its name or first sentence says so:
// then words alone make it no request.
func (w *toolReader) isAboutLocalFile(p *profile) bool {
	return p.is&(remote|ssh|browser) == 0 && (w.ruleConfidence(tFSRead) == capability.High || w.ruleConfidence(tFSWrite) == capability.High) && w.hasAction(fileActs, fileObjects)
}

var fileActs = lex.classSet("read", "write", "destroy", "copy", "fileread")

// decide says how sure a label is.
func (w *toolReader) decide(tag uint8, p *profile) capability.Confidence {
	t, z, rules := w.weights.tags, w.weighed[tag], w.ruleConfidence(tag)
	switch {
	case w.against[tag] <= farAgainst && !rules.AtLeast(capability.Medium):
		return rules
	case w.against[tag] <= farAgainst:
		z -= lessIfAgainst
	case rules == "" && (tag == tSecret && w.mentions.meets(secretWords) || tag == tExec && w.mentions.meets(codeObjects)):
		z -= lessIfRefused
	case rules == "" && keptElsewhere(tag) && (p.is&provision != 0 || w.namesRepository()):
		z -= lessNamed
	case rules == "" && keptElsewhere(tag) && p.is&remote != 0 && !p.unsure:
		z -= lessElsewhere
	case rules == capability.Low && w.against[tag] < 0:
		z -= lessDoubted
	case rules == "" && w.fewWords:
		z -= lessIfFew
	}
	verdict := slices.Index(ruleVerdicts[:], rules)
	changes := tag == tDBWrite // any statement can change a database: who says that he only reads needs the rules to say otherwise
	switch {
	case w.fewWords && rules.AtLeast(capability.Medium):
		return rules
	case rules == "" && (tag == tNet && w.isAboutLocalFile(p) || w.namesNoFileHere(tag, p)):
		return rules // words alone: documents and dashboards are the service's
	case w.against[tag] == 0 && z >= t.high[w.verdictForHigh(tag, verdict)][tag] && w.hasTwoLines() && !(changes && w.hints.readOnly > 0):
		return capability.High
	case z >= t.medium[verdict][tag] && !(changes && w.hints.readOnly > 0 && !rules.AtLeast(capability.Medium)):
		return capability.Medium
	case w.plainly[tag] && rules.AtLeast(capability.Medium):
		return capability.Medium
	case z >= t.low[tag], rules != "":
		return capability.Low
	}
	return ""
}

// fewestConcepts is how many words of a description must mean something to the weights for them to contradict the rules: without a
// description, and in languages that they were not learnt from, they know nothing.
const fewestConcepts = 2

// weighRoles decides the role of each parameter by what the rules take it for and by the words around it.
func (w *toolReader) weighRoles() {
	if len(w.params) == 0 {
		return
	}
	t := w.weights.roles
	w.reportAs(EveryParameter)
	w.observeForRoles()
	base := t.sum(w.seen.keys)
	base.add(&t.bias)
	for i := range w.params {
		q := &w.params[i]
		w.reportAs(parameterPath(w.params, i))
		w.observeForRole(q)
		if w.lens.RoleOf != nil {
			if z, ok := w.lens.RoleOf(w.name.Text(), parameterPath(w.params, i)); ok {
				w.chooseRole(q, (*logits)(&z))
			}
			continue
		}
		z := t.sum(w.seen.keys)
		z.add(&base)
		w.chooseRole(q, &z)
	}
}

// sureRole are the log-odds from which a parameter is probed although the rules saw nothing to probe: a wrong probe costs more
// than one that was not made.
const sureRole = 0.85

// guessedID is by how much an identifier must lead where the rules saw nothing: that is a guess by the other parameters of
// such tools, and what no word tells of is text more often.
const guessedID = 0.6

// chooseRole gives a parameter the role that most speaks for.
func (w *toolReader) chooseRole(q *parameter, z *logits) {
	if q.closed || q.kind == boolKind || q.role.schema >= 4 || q.role.desc >= 3 && roleIndex(q.role.role) <= rHost {
		return // the schema or the first words of the description settle it
	}
	best := roleIndex(q.role.role)
	named := q.role.role == capability.ID && q.role.name >= 3 // fileKey
	for i := range z {
		if i <= rHost && (named || q.kind == objectKind && i != rQuery && i != rCommand) {
			continue
		}
		if i <= rHost && i != roleIndex(q.role.role) && (z[i] < sureRole || q.kind == numberKind) {
			continue
		}
		if lead := z[i] - z[best]; lead > 0 && (q.role.evidences > 0 || roleOrder[i] != capability.ID || lead > guessedID) {
			best = i
		}
	}
	if roleOrder[best] != q.role.role {
		q.role = roleScore{role: roleOrder[best], name: 2}
		q.role.evidence[0], q.role.evidences = "param_name:"+q.name, 1
	}
}
