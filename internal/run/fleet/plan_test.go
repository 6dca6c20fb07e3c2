package fleet

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

const wholePlan = `
name: corpus
round: 2026-11
region: eu
targets:
  - one.json
  - https://a.example/mcp
  - directory: snapshots
  - list: servers.txt
  - registry: export.json
  - url: https://b.example/mcp
    bearer_env: TOKEN
  - command: [npx, -y, server@1.0.0]
    env: [API_KEY]
    name: the server
  - model: gpt-5
  - agent: builtin:victim
lanes:
  - scan
  - lane: probe
    options: {budget: 800, sandbox: require, include-low: true}
  - lane: attack
    documents: [tool-poisoning]
  - lane: redteam
    options: {runs: 3}
limits: {time: 2m, memory: 1GiB, attempts: 2}
`

func parse(t *testing.T, text string) *Plan {
	t.Helper()
	p, errs := Parse("corpus.yaml", text)
	if len(errs) > 0 {
		t.Fatalf("%v", errs)
	}
	return p
}

func TestParse(t *testing.T) {
	p := parse(t, wholePlan)
	if p.Name != "corpus" || p.Round != "2026-11" || p.Region != "eu" || len(p.Sources) != 9 || len(p.Lanes) != 4 {
		t.Errorf("got %+v", p)
	}
	if got := (Limits{2 * time.Minute, 1 << 30, 2}); p.Limits != got {
		t.Errorf("limits %+v, want %+v", p.Limits, got)
	}
	if got := p.Lanes[1].Options; !slices.Equal(got, []string{"--sandbox=require", "--include-low=true", "--budget=800"}) {
		t.Errorf("options %q, want them in the order of the table", got)
	}
}

func TestParseRefuses(t *testing.T) {
	const lanes, targets = "lanes: [scan]\n", "targets: [a.json]\n"
	for _, tt := range []struct{ name, text, want string }{
		{"an empty file", "", "the file is empty"},
		{"no lanes", targets, "at least one of each"},
		{"an unknown key", targets + lanes + "worker: 3\n", "worker"},
		{"an unknown lane", targets + "lanes: [pray]\n", "unknown lane"},
		{"a flag that names a file", targets + "lanes: [{lane: scan, options: {output: /etc/passwd}}]\n", "output"},
		{"a flag that names a directory", targets + "lanes: [{lane: scan, options: {source: /}}]\n", "source"},
		{"documents of a scan", targets + "lanes: [{lane: scan, documents: [x]}]\n", "documents are for"},
		{"two kinds of target", "targets: [{file: a, url: 'https://x'}]\n" + lanes, "has 2 of them"},
		{"a value in env", "targets: [{command: [x], env: [A=secret]}]\n" + lanes, "values do not belong"},
		{"a user in a URL", "targets: [{url: 'https://u:p@x.example/'}]\n" + lanes, "names no user"},
		{"a flag as a file", "targets: [{file: --yes}]\n" + lanes, "taken for a flag"},
		{"too little memory", targets + lanes + "limits: {memory: 255MiB}\n", "want 256MiB or more"},
		{"memory without a unit", targets + lanes + "limits: {memory: 512}\n", "want 256MiB or more"},
		{"a user in the URL of a registry", "targets: [{registry: 'https://u:p@x.example/'}]\n" + lanes, "names no user"},
		{"a name with a dot", "name: a.b\n" + targets + lanes, "the name of the fleet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, errs := Parse("p.yaml", tt.text)
			if len(errs) == 0 || !strings.Contains(errs[0].Msg, tt.want) {
				t.Errorf("got %v, want an error with %q", errs, tt.want)
			}
		})
	}
}

func TestJobs(t *testing.T) {
	p := parse(t, wholePlan)
	docs := [][]Document{nil, nil, {{Name: "tool-poisoning"}}, nil}
	for _, tt := range []struct {
		source int
		lanes  []LaneName
		needs  []string // of the last job
	}{
		{1, []LaneName{Scan, Probe, Attack}, []string{"region eu"}},
		{5, []LaneName{Scan, Probe, Attack}, []string{"env TOKEN", "region eu"}},
		{6, []LaneName{Scan, Probe, Attack}, []string{"commands", "env API_KEY", "language node", "region eu"}},
		{7, []LaneName{Attack, Redteam}, []string{"model gpt-5", "region eu"}},
		{8, []LaneName{Attack}, []string{"region eu"}},
	} {
		jobs := p.Jobs(p.Sources[tt.source], "d", "v", docs)
		var lanes []LaneName
		for i := range jobs {
			lanes = append(lanes, jobs[i].Lane)
			if err := jobs[i].Check(); err != nil {
				t.Errorf("%+v: %v", jobs[i], err)
			}
		}
		last := jobs[len(jobs)-1]
		if !slices.Equal(lanes, tt.lanes) || !slices.Equal(last.Needs, tt.needs) {
			t.Errorf("source %d: lanes %v, needs %q; want %v, %q", tt.source, lanes, last.Needs, tt.lanes, tt.needs)
		}
	}
	probe := p.Jobs(p.Sources[6], "d", "v", docs)[1]
	if !slices.Contains(probe.Needs, NeedsSandbox) {
		t.Errorf("a probe of a command needs %q, want a sandbox among them", probe.Needs)
	}
}

// A job's name changes with what its result depends on, and with nothing else.
func TestID(t *testing.T) {
	base := Job{Plan: "p", Version: "1", Round: "r", Lane: Scan, Target: Target{Kind: File, Value: []string{"/a"}, Name: "a.json", Digest: strings.Repeat("0", 64)}, Options: []string{"--differential=true"}}
	for _, tt := range []struct {
		name   string
		change func(*Job)
		same   bool
	}{
		{"another plan", func(j *Job) { j.Plan = "q" }, true},
		{"the file elsewhere", func(j *Job) { j.Target.Value = []string{"/b"} }, true},
		{"another name of the target", func(j *Job) { j.Target.Name = "x" }, false},
		{"other needs", func(j *Job) { j.Needs = []string{"sandbox"} }, true},
		{"another content", func(j *Job) { j.Target.Digest = strings.Repeat("1", 64) }, false},
		{"another version", func(j *Job) { j.Version = "2" }, false},
		{"another round", func(j *Job) { j.Round = "s" }, false},
		{"another lane", func(j *Job) { j.Lane = Vet }, false},
		{"other options", func(j *Job) { j.Options = nil }, false},
		{"a document", func(j *Job) { j.Document = "x" }, false},
	} {
		other := base
		tt.change(&other)
		if got := other.ID() == base.ID(); got != tt.same {
			t.Errorf("%s: same name %t, want %t", tt.name, got, tt.same)
		}
	}
}

func TestArgs(t *testing.T) {
	for _, tt := range []struct {
		name string
		job  Job
		want string
	}{
		{"a file", Job{Lane: Scan, Target: Target{Kind: File, Value: []string{"/x"}, Digest: strings.Repeat("0", 64)}}, "scan --format=json --output=OUT --quiet --no-suppressions FILE"},
		{"a URL with a token", Job{Lane: Scan, Target: Target{Kind: URL, Value: []string{"https://a.example"}, Bearer: "TOKEN"}}, "scan --format=json --output=OUT --quiet --no-suppressions --bearer-env=TOKEN https://a.example"},
		{"a command", Job{Lane: Probe, Target: Target{Kind: Command, Value: []string{"./s", "--stdio"}, Env: []string{"KEY"}}, Options: []string{"--sandbox=off"}}, "probe --format=json --output=OUT --quiet --sandbox=off --env=KEY -- ./s --stdio"},
		{"an attack on an agent", Job{Lane: Attack, Target: Target{Kind: Agent, Value: []string{"builtin:victim"}}, Document: "tool-poisoning"}, "attack run --format=json --output=OUT --quiet --agent=builtin:victim tool-poisoning"},
		{"an attack on a command", Job{Lane: Attack, Target: Target{Kind: Command, Value: []string{"./s"}}, Document: "x", DocumentDigest: strings.Repeat("0", 64)}, "attack run --format=json --output=OUT --quiet DOC -- ./s"},
		{"a model", Job{Lane: Redteam, Target: Target{Kind: Model, Value: []string{"gpt-5"}}, Options: []string{"--runs=3"}}, "redteam --format=json --output=OUT --quiet --runs=3 --model=gpt-5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.job.Args("FILE", "DOC", "OUT"); strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %s", got, tt.want)
			}
		})
	}
}

func newKeys(t testing.TB) *Keys {
	t.Helper()
	k, err := NewKeys(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A worker opens what its plan's owner signed, and nothing else.
func TestOpenJob(t *testing.T) {
	ours, strangers := newKeys(t), newKeys(t)
	job := Job{Plan: "p", Version: "1", Lane: Scan, Target: Target{Kind: URL, Value: []string{"https://a.example"}}}
	good, err := ours.SealJob(&job)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ours.Worker().OpenJob(good); err != nil || got.ID() != job.ID() {
		t.Errorf("got %+v, %v", got, err)
	}
	foreign, err := strangers.SealJob(&job)
	if err != nil {
		t.Fatal(err)
	}
	order, err := ours.sign(purposeOrder, &Order{Plan: "p"})
	if err != nil {
		t.Fatal(err)
	}
	changed := append(slices.Clone(good[:len(good)-1]), ' ')
	evil := job
	evil.Options = []string{"--output=/etc/passwd"}
	bad, err := ours.SealJob(&evil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		message []byte
		want    error // nil for any
	}{
		{"nothing", nil, ErrStranger},
		{"a stranger's", foreign, ErrStranger},
		{"one byte changed", changed, ErrStranger},
		{"an order in place of a job", order, ErrStranger},
		{"a giant", append(slices.Clone(good), make([]byte, MaxJob)...), nil},
		{"options that no plan can have", bad, nil},
		{"a sealed result", ours.Worker().SealText([]byte("{}")), ErrStranger},
	} {
		if got, err := ours.Worker().OpenJob(tt.message); got != nil || err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: got %+v, %v; want it refused with %v", tt.name, got, err, tt.want)
		}
	}
}

func TestOpenText(t *testing.T) {
	ours, strangers := newKeys(t).Worker(), newKeys(t).Worker()
	if got, err := ours.OpenText(ours.SealText([]byte("x"))); err != nil || string(got) != "x" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, message := range [][]byte{nil, []byte("x"), strangers.SealText([]byte("x")), append(ours.SealText([]byte("x")), 'y')} {
		if got, err := ours.OpenText(message); !errors.Is(err, ErrForged) {
			t.Errorf("%q: got %q, %v; want ErrForged", message, got, err)
		}
	}
}

func TestKeysAreReadBack(t *testing.T) {
	k := newKeys(t)
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := ParseKeys(text, true); err != nil || !back.Owner.Equal(k.Owner) {
		t.Errorf("got %v, %v", back, err)
	}
	if text, err = json.Marshal(k.Worker()); err != nil || strings.Contains(string(text), `"owner"`) {
		t.Fatal(err)
	}
	if back, err := ParseKeys(text, false); err != nil || !back.Plan.Equal(k.Plan) {
		t.Errorf("got %v, %v", back, err)
	}
	if _, err := ParseKeys(text, true); err == nil {
		t.Error("the keys of a worker pass for those of an owner")
	}
}

const export = `{"servers":[
 {"server":{"name":"com.example/remote","remotes":[{"type":"streamable-http","url":"https://a.example/mcp"}]},"_meta":{}},
 {"name":"io.example/package","packages":[{"registryType":"npm","identifier":"@x/y","version":"1.0.2"},{"registryType":"oci","identifier":"docker.io/x"}]},
 {"server":{"name":"io.example/python","packages":[{"registryType":"pypi","identifier":"z","version":"2"}]}},
 {"server":{"name":"io.example/nothing"}},
 {"server":{"name":"io.example/file","remotes":[{"url":"file:///etc/passwd"}]}},
 17]}`

func TestParseRegistry(t *testing.T) {
	page, err := ParseRegistry(export)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, target := range page.Targets {
		got = append(got, string(target.Kind)+" "+target.Value[0])
	}
	if want := []string{"url https://a.example/mcp", "package npm:@x/y@1.0.2", "package pypi:z==2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(page.Problems) != 4 || page.Next != nil {
		t.Errorf("%d problems, want 4, the package of a kind that nobody takes among them: %q", len(page.Problems), page.Problems)
	}
	for _, text := range []string{"[]", `{"metadata":{"nextCursor":"x"}}`, `{"servers":[],"metadata":{"nextCursor":7}}`} {
		if _, err := ParseRegistry(text); err == nil {
			t.Errorf("%s passes for an answer of a registry", text)
		}
	}
	for _, cursor := range []string{"", "abc"} {
		if page, err := ParseRegistry(`{"servers":[],"metadata":{"nextCursor":"` + cursor + `"}}`); err != nil || page.Next == nil || *page.Next != cursor {
			t.Errorf("the cursor %q is not seen: %+v, %v", cursor, page, err)
		}
	}
}

func TestParseList(t *testing.T) {
	targets, errs := ParseList("# servers\nhttps://a.example/mcp\n\nnpm:left-pad\nx.json\n-x\nhttps://\n")
	if len(targets) != 3 || targets[0].Kind != URL || targets[1].Kind != Package || targets[2].Kind != File {
		t.Errorf("got %+v", targets)
	}
	if len(errs) != 2 || errs[0].Line != 6 {
		t.Errorf("got %v, want what is wrong in lines 6 and 7", errs)
	}
}

// Whatever a plan says, it is refused or its jobs pass the check of a worker.
func FuzzParse(f *testing.F) {
	f.Add(wholePlan)
	f.Add("targets: [{command: [a, b], env: [X]}]\nlanes: [{lane: probe, options: {class: [a, b]}}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, errs := Parse("p.yaml", text)
		if len(errs) > 0 {
			return
		}
		for _, s := range p.Sources {
			if s.Check() != nil || s.Kind == File {
				continue
			}
			documents := make([][]Document, len(p.Lanes))
			for i := range p.Lanes {
				if lanes[p.Lanes[i].Name].documents {
					documents[i] = []Document{{Name: "tool-poisoning"}}
				}
			}
			for _, j := range p.Jobs(s, "d", "v", documents) {
				if err := j.Check(); err != nil {
					t.Errorf("%+v: %v", j, err)
				}
			}
		}
	})
}

// A worker refuses every message that the plan's key did not sign, and panics at none.
func FuzzOpenJob(f *testing.F) {
	k := newKeys(f)
	good, err := k.SealJob(&Job{Lane: Scan, Target: Target{Kind: URL, Value: []string{"https://a.example"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good[ed25519.SignatureSize:])
	f.Fuzz(func(t *testing.T, message []byte) {
		if j, err := k.Worker().OpenJob(message); err == nil {
			t.Errorf("opened %+v", j)
		}
		if j, err := k.Worker().OpenJob(append(ed25519.Sign(k.Owner, append([]byte(purposeJob), message...)), message...)); err == nil && j.Check() != nil {
			t.Errorf("opened %+v, which no plan makes", j)
		}
	})
}

func FuzzParseRegistry(f *testing.F) {
	f.Add(export)
	f.Fuzz(func(t *testing.T, text string) {
		page, err := ParseRegistry(text)
		if err != nil {
			return
		}
		for i := range page.Targets {
			if err := page.Targets[i].Check(); err != nil {
				t.Errorf("%+v: %v", page.Targets[i], err)
			}
		}
	})
}
