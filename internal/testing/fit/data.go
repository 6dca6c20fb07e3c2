package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/clause"
	"gauntlet/internal/leaf/text"
)

// A kind says what a document is to the measurement.
type kind uint8

const (
	other     kind = iota
	published      // a public attack, alone
	padded         // its harm between the sentences of a real description, never learnt from
	server         // a definition of a real server
	pushy          // one of those that do push the model
)

// A document is one definition with what is harmful in it.
type document struct {
	name   string
	kind   kind
	fold   int // the part of the data that it is in, -1 for none
	attack bool
	weight float64
	harm   []string
	size   int // bytes of the definition
	item   map[string]any

	windows []*window
	score   float64
	quote   string
}

type window struct {
	features []uint32
	text     string
	shared   float64 // how much of it is harmful text
	harmful  bool
}

var lists = []string{"tools", "prompts", "resources", "resourceTemplates"}

// singles returns the definitions of a snapshot, each as an item.
func singles(snapshot map[string]any) (out []map[string]any) {
	for _, l := range lists {
		items, _ := snapshot[l].([]any)
		for _, e := range items {
			if item, ok := e.(map[string]any); ok {
				out = append(out, item)
			}
		}
	}
	if s, _ := snapshot["instructions"].(string); s != "" {
		out = append(out, map[string]any{"instructions": s})
	}
	return out
}

// snapshot wraps an item as a server would list it.
func snapshot(item map[string]any) string {
	list := "tools"
	switch {
	case item["uri"] != nil:
		list = "resources"
	case item["uriTemplate"] != nil:
		list = "resourceTemplates"
	case item["arguments"] != nil:
		list = "prompts"
	}
	s := map[string]any{"tools": []any{}, list: []any{item}}
	if i := item["instructions"]; i != nil && len(item) == 1 {
		s = map[string]any{"tools": []any{}, "instructions": i}
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // it came out of JSON
	}
	return string(b)
}

// build reads the windows of a document as a scan reads them.
func (d *document) build() error {
	raw, err := json.Marshal(d.item)
	if err != nil {
		return err
	}
	d.size = len(raw)
	c, err := catalog.Parse("case.json", snapshot(d.item), catalog.Limits{})
	if err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	var reader clause.Reader
	read := func(it *check.Item) {
		params := map[string]bool{}
		for i := range it.Fields {
			if it.Fields[i].Sort == check.PropertyName {
				params[it.Fields[i].Text.Raw] = true
			}
		}
		reader.Names = func(s string) clause.Name {
			switch {
			case params[s]:
				return clause.Parameter
			case s == it.Name():
				return clause.Self
			case it.HasTool(s):
				return clause.Sibling
			}
			return clause.Unknown
		}
		reader.Begin(clause.Business{Name: it.Name(), Parameters: params})
		for i := range it.Fields {
			f := &it.Fields[i]
			for _, s := range reader.Samples(f.Text.Raw, f.Sort.Place()) {
				w := &window{features: distinct(s.Features), text: s.Text}
				if len(d.harm) > 0 {
					w.shared = sharedWith(s.Text, d.harm)
				}
				d.windows = append(d.windows, w)
			}
		}
	}
	check.Run(c, []*check.Check{{ID: "SEC-999", Name: "fit", Severity: finding.Info, Maturity: check.Stable, Taxonomy: "MCP03:2025 close, ASI01 close, CWE-1427 close, L6 close, L2 weak", Axis: "tool-poisoning",
		Needs: check.Definitions, Source: check.SourceSEC, Doc: "Reads fields.", Advice: "Fit.", RunItem: read}}, check.Options{})
	d.label()
	return nil
}

func distinct(features []uint32) []uint32 {
	slices.Sort(features)
	return slices.Clone(slices.Compact(features))
}

// label decides which windows of an attack are harmful: those that are mostly harmful text, all where nobody has said what is.
// An attack of which no window is mostly harmful teaches nothing.
func (d *document) label() {
	most := 0.0
	for _, w := range d.windows {
		most = max(most, w.shared)
	}
	for _, w := range d.windows {
		w.harmful = len(d.harm) == 0 || w.shared >= 0.8*most
	}
	if d.attack && len(d.harm) > 0 && most < 0.6 {
		d.weight = 0
	}
}

// squash leaves the letters and digits of a text.
func squash(s string) []rune {
	folded := text.Fold(s)
	var out []rune
	for _, r := range folded.Text() {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, unicode.ToLower(r))
		}
	}
	return out
}

// sharedWith returns how much of a text stands in harmful texts, in runs of ten letters.
func sharedWith(s string, harm []string) float64 {
	const run = 10
	a := squash(s)
	if len(a) == 0 {
		return 0
	}
	at := map[string][]int{}
	for i := 0; i+run <= len(a); i++ {
		k := string(a[i : i+run])
		at[k] = append(at[k], i)
	}
	hit := make([]bool, len(a))
	for _, h := range harm {
		b := squash(h)
		if len(a) < run || len(b) < run {
			if len(a) < 3*len(b) && strings.Contains(string(a), string(b)) || len(a) < run && strings.Contains(string(b), string(a)) {
				return min(1, float64(len(b))/float64(len(a)))
			}
			continue
		}
		for i := 0; i+run <= len(b); i++ {
			for _, j := range at[string(b[i:i+run])] {
				for k := j; k < j+run; k++ {
					hit[k] = true
				}
			}
		}
	}
	n := 0
	for _, h := range hit {
		if h {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// foldOf puts a source or an owner into one of n parts.
func foldOf(name string, n int) int {
	h := sha256.Sum256([]byte(name))
	return int(new(big.Int).Mod(new(big.Int).SetBytes(h[:]), big.NewInt(int64(n))).Int64())
}

var githubOwner = regexp.MustCompile(`github\.com/([^/\s]+)/`)

// table reads a file of cells with tabs between them, and returns the cells of each line by the first.
func table(file string) map[string][]string {
	data, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		out[cells[0]] = cells
	}
	return out
}

// mayLearn reports whether a licence lets weights that ship learn from a text: its own, or that of the set that publishes it. All
// other texts only measure.
func mayLearn(licence string) bool {
	return strings.Contains(licence, "(set: MIT)") || slices.ContainsFunc([]string{"MIT", "Apache", "BSD", "ISC", "CC0", "own"}, func(x string) bool { return strings.HasPrefix(licence, x) })
}

// ownerOf returns the owner of the repository or package of a snapshot's line.
func ownerOf(cells []string) string {
	if m := githubOwner.FindStringSubmatch(cells[4] + "/"); m != nil {
		return strings.ToLower(m[1])
	}
	owner, _, _ := strings.Cut(strings.TrimLeft(cells[2], "@"), "@")
	owner, _, _ = strings.Cut(owner, "/")
	return strings.ToLower(owner)
}

// eachLine reads a file of JSON objects, one a line.
func eachLine(file string, visit func(map[string]any)) {
	f, err := os.Open(file)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var m map[string]any
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			panic(fmt.Errorf("%s: %w", file, err))
		}
		visit(m)
	}
}

func str(m map[string]any, key string) string { s, _ := m[key].(string); return s }

func strs(m map[string]any, key string) (out []string) {
	list, _ := m[key].([]any)
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// carrying returns the definition of several that holds the first of the harmful texts it can find, nil if none does.
func carrying(items []map[string]any, harm []string) map[string]any {
	for _, item := range items {
		b, _ := json.Marshal(item)
		for _, h := range harm {
			quoted, _ := json.Marshal(h)
			if strings.Contains(string(b), string(quoted[1:min(len(quoted)-1, 40)])) {
				return item
			}
		}
	}
	return nil
}

// buildAll builds documents two at a time: the memory for more is not there.
func buildAll(docs []*document) {
	var wg sync.WaitGroup
	next := make(chan *document)
	for range 2 {
		wg.Go(func() { // ends when next is closed
			for d := range next {
				if err := d.build(); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			}
		})
	}
	for _, d := range docs {
		next <- d
	}
	close(next)
	wg.Wait()
}

// A gatherer draws carriers for attacks from real definitions of other parts.
type gatherer struct {
	rng      *rand.Rand
	folds    int
	docs     []*document
	carriers [][]map[string]any // real definitions with a description of some length, by part
	long     [][]map[string]any
}

func readAll(texts, families string, n int) []*document {
	g := &gatherer{rng: rand.New(rand.NewSource(3)), folds: n, carriers: make([][]map[string]any, n), long: make([][]map[string]any, n)}
	g.servers(texts)
	g.published(texts)
	g.families(families)
	g.otherHonest(texts)
	buildAll(g.docs)
	return g.docs
}

func (g *gatherer) add(d *document) { g.docs = append(g.docs, d) }

func (g *gatherer) servers(texts string) {
	push := map[string]bool{}
	eachLine(texts+"/honest/PUSHY.jsonl", func(m map[string]any) { push[filepath.Base(str(m, "file"))+" "+str(m, "tool")] = true })
	about := table(texts + "/honest/SERVERS.tsv")
	files, _ := filepath.Glob(texts + "/honest/servers/*.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		var s map[string]any
		if err := json.Unmarshal(data, &s); err != nil {
			panic(err)
		}
		if inner, ok := s["result"].(map[string]any); ok {
			s = inner
		}
		base := filepath.Base(file)
		fold, learn := foldOf(ownerOf(about[base]), g.folds), mayLearn(about[base][5])
		for _, item := range singles(s) {
			d := &document{name: base + " " + str(item, "name"), kind: server, fold: fold, weight: 1, item: item}
			if push[d.name] {
				d.kind, d.weight = pushy, 0
			}
			if !learn {
				d.weight = 0
			}
			g.add(d)
			if l := len(str(item, "description")); learn && l > 60 && l < 3000 {
				g.carriers[fold] = append(g.carriers[fold], item)
				if l > 500 {
					g.long[fold] = append(g.long[fold], item)
				}
			}
		}
	}
}

// carrier draws a real definition of another part than that of an attack, so that neither part is known by the other.
func (g *gatherer) carrier(fold int, long bool) map[string]any {
	k := g.rng.Intn(g.folds)
	if fold >= 0 {
		k = (fold + 1 + g.rng.Intn(g.folds-1)) % g.folds
	}
	from := g.carriers[k]
	if long {
		from = g.long[k]
	}
	return from[g.rng.Intn(len(from))]
}

func (g *gatherer) published(texts string) {
	sources := table(texts + "/attacks/SOURCES.tsv")
	learn := func(m map[string]any) float64 {
		if cells := sources[str(m, "source")]; cells != nil && mayLearn(cells[2]) {
			return 1
		}
		return 0
	}
	eachLine(texts+"/attacks/definitions.ndjson", func(m map[string]any) {
		snapshot, _ := m["snapshot"].(map[string]any)
		harm, fold, name := strs(m, "harm"), foldOf(str(m, "source"), g.folds), str(m, "id")+" "+str(m, "source")
		items := singles(snapshot)
		item := carrying(items, harm)
		if item == nil {
			item = items[0]
		}
		g.add(&document{name: name, kind: published, fold: fold, attack: true, weight: 2 * learn(m), harm: harm, item: item})
		if len(harm) == 0 {
			return
		}
		joined := strings.Join(harm, " ")
		own := g.long[fold]
		g.add(&document{name: name, kind: padded, fold: fold, attack: true, harm: harm, item: g.splice(joined, own[g.rng.Intn(len(own))], false)})
		for range 3 {
			g.add(&document{fold: fold, attack: true, weight: 0.7 * learn(m), harm: harm, item: g.splice(joined, g.carrier(fold, g.rng.Intn(2) == 0), g.rng.Intn(4) == 0)})
		}
	})
	eachLine(texts+"/attacks/texts.ndjson", func(m map[string]any) {
		if bare, _ := m["bare_goal"].(bool); bare { // harmful only where it stands
			return
		}
		fold, t := foldOf(str(m, "source"), g.folds), str(m, "text")
		if len(t) > 1500 {
			t = strings.ToValidUTF8(t[:1500], "")
		}
		g.add(&document{fold: fold, attack: true, weight: 0.5 * learn(m), harm: []string{t}, item: g.splice(t, g.carrier(fold, false), g.rng.Intn(5) == 0)})
	})
}

func (g *gatherer) families(dir string) {
	files, _ := filepath.Glob(dir + "/*.ndjson")
	for _, file := range files {
		base := filepath.Base(file)
		attack := strings.Contains(base, "attacks")
		eachLine(file, func(m map[string]any) {
			snapshot, _ := m["snapshot"].(map[string]any)
			items, harm := singles(snapshot), strs(m, "harm")
			if attack && len(harm) > 0 {
				if item := carrying(items, harm); item != nil {
					items = []map[string]any{item}
					g.add(&document{name: base, fold: -1, attack: true, weight: 0.5, harm: harm, item: g.splice(strings.Join(harm, " "), g.carrier(-1, false), g.rng.Intn(4) == 0)})
				}
			}
			for _, item := range items {
				g.add(&document{name: base + " " + str(m, "id"), fold: -1, attack: attack, weight: 1, harm: harm, item: item})
			}
		})
	}
	files, _ = filepath.Glob(dir + "/*.tsv") // sentences: technique, language, text
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		attack := strings.Contains(filepath.Base(file), "attacks")
		for line := range strings.Lines(string(data)) {
			cells := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
			t := strings.ReplaceAll(cells[len(cells)-1], `\n`, "\n")
			var harm []string
			if attack {
				harm = []string{t}
			}
			if !strings.ContainsAny(t, " ") && t[0] < 0x80 { // the name of a parameter
				schema := map[string]any{"type": "object", "properties": map[string]any{"input": map[string]any{"type": "string"}, t: map[string]any{"type": "string"}}}
				g.add(&document{fold: -1, attack: attack, weight: 1, harm: harm, item: map[string]any{"name": "x", "description": "Rounds a number.", "inputSchema": schema}})
				continue
			}
			g.add(&document{fold: -1, attack: attack, weight: 0.7, harm: harm, item: g.splice(t, g.carrier(-1, false), g.rng.Intn(5) == 0)})
			g.add(&document{fold: -1, attack: attack, weight: 0.7, harm: harm, item: map[string]any{"name": "x", "description": t}})
		}
	}
}

func (g *gatherer) otherHonest(texts string) {
	eachLine(texts+"/honest/functions.ndjson", func(m map[string]any) {
		g.add(&document{fold: -1, weight: 0.5, item: map[string]any{"name": m["name"], "description": m["description"], "inputSchema": m["parameters"]}})
	})
	eachLine(texts+"/honest/instructions.ndjson", func(m map[string]any) {
		if mayLearn(str(m, "licence")) {
			g.add(&document{fold: -1, weight: 0.15, item: map[string]any{"instructions": str(m, "text")}})
		}
	})
}

var sentenceEnd = regexp.MustCompile(`([.!?])\s+`)

func sentences(s string) (out []string) {
	last := 0
	for _, m := range sentenceEnd.FindAllStringSubmatchIndex(s, -1) {
		out = append(out, s[last:m[3]])
		last = m[1]
	}
	return append(out, s[last:])
}

var wrappings = []string{"%s", "%s", "%s", "%s", "%s", "%s", "\n\n%s", "<IMPORTANT>%s</IMPORTANT>", "**%s**", "- %s", "<!-- %s -->", "Note: %s", "[%s]", "\"%s\"", "For example, %s", "Note that %s", "For audit, %s", "Optionally, %s", "1. %s"}

// splice puts a harmful text between the sentences of a real description, or of the description of one of its parameters.
func (g *gatherer) splice(harm string, real map[string]any, parameter bool) map[string]any {
	b, _ := json.Marshal(real)
	var item map[string]any
	if err := json.Unmarshal(b, &item); err != nil {
		panic(err)
	}
	harm = fmt.Sprintf(wrappings[g.rng.Intn(len(wrappings))], strings.TrimSpace(harm))
	between := func(description string) string {
		parts := sentences(description)
		return strings.Join(slices.Insert(parts, g.rng.Intn(len(parts)+1), harm), " ")
	}
	if parameter {
		schema, _ := item["inputSchema"].(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		var names []string
		for name := range properties {
			names = append(names, name)
		}
		slices.Sort(names)
		if len(names) > 0 {
			if p, ok := properties[names[g.rng.Intn(len(names))]].(map[string]any); ok {
				p["description"] = between(str(p, "description"))
				return item
			}
		}
	}
	item["description"] = between(str(item, "description"))
	return item
}
