package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gauntlet/result"
)

// jobRole is the variable by which the test's own binary is the program of a job; its value says which.
const jobRole = "GAUNTLET_FLEET_TEST_JOB"

func TestMain(m *testing.M) {
	if as := os.Getenv(jobRole); as != "" {
		os.Exit(playJob(as))
	}
	// The NATS client may end a publisher before the goroutine that watches its connection has looked which channel to
	// watch; that one then waits on none, for ever.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}

// playJob is the program of a job. It notes that it was started, and does as its role says.
func playJob(as string) int {
	if log, err := os.OpenFile(os.Getenv("STARTED"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		fmt.Fprintln(log, strings.Join(os.Args[1:], " "))
		log.Close()
	}
	output, target := "", ""
	for _, a := range os.Args {
		if filepath.Base(a) == targetFile {
			target = a
		}
		if v, ok := strings.CutPrefix(a, "--output="); ok {
			output = v
		}
	}
	switch as {
	case "dies":
		fmt.Fprintln(os.Stderr, "\x1b[31mthe parser ran away")
		return 3
	case "hangs":
		time.Sleep(time.Hour)
	case "waits":
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			if _, err := os.Stat(os.Getenv("STARTED") + ".go"); err == nil {
				break
			}
			<-tick.C
		}
	case "fills": // what it works in is gone, once
		if _, err := os.Stat(os.Getenv("STARTED") + ".filled"); err != nil {
			_ = os.WriteFile(os.Getenv("STARTED")+".filled", nil, 0o600)
			_ = os.RemoveAll(filepath.Dir(filepath.Dir(output)))
			return 3
		}
	case "places":
		here, _ := os.Getwd()
		relative, _ := filepath.Rel(here, target)
		text := fmt.Sprintf(`{"schema_version":"1.0","summary":{"servers":1,"complete":false},"findings":[{"location":{"file":%q,"other":%q}}],"problems":[{"kind":"unread","message":"nothing was read"},{"kind":"failed","message":"%s: no such command"}]}`, target, relative, filepath.ToSlash(target))
		_ = os.WriteFile(output, []byte(text), 0o600)
		return 2
	case "babbles":
		_ = os.WriteFile(output, []byte("{"), 0o600)
		return 0
	}
	text := `{"schema_version":"1.0","summary":{"servers":1,"by_severity":{"high":2},"complete":true},"findings":[],"problems":[]}`
	if os.WriteFile(output, []byte(text), 0o600) != nil {
		return 2
	}
	return 0
}

// newRun is a run of a plan over two files, with a worker whose jobs play a role.
func newRun(t *testing.T, as, more string) *Run {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a.json", "b.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"tools":[]}`+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "plan.yaml")
	plan, wrong := Parse(file, "targets: [a.json, b.json]\nlanes: [scan]\n"+more)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	home := HomeOf(file)
	server, err := home.Begin(Access{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return &Run{
		Plan: plan, Home: home, Owner: Owner{Server: server}, Reserve: DefaultReserve(), Version: "test", Workers: 2,
		Capabilities: Capabilities{Lookup: func(string) (string, bool) { return "", false }},
		Runner:       Runner{Program: []string{os.Args[0]}, Environ: append(os.Environ(), jobRole+"="+as, "STARTED="+filepath.Join(dir, "started"))},
		Note:         t.Logf, Progress: func(int, int) {},
	}
}

// started is how often a job's program was started.
func started(t *testing.T, r *Run) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(r.Plan.File), "started"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

func reportOf(t *testing.T, r *Run) *result.Fleet {
	t.Helper()
	return reportIn(t, r, "")
}

func reportIn(t *testing.T, r *Run, directory string) *result.Fleet {
	t.Helper()
	o, err := r.Home.OpenOwner(t.Context(), Access{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Server.Close()
	got, err := o.Report(t.Context(), directory, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Results call files what the plan calls them, and say why nothing was read.
func TestPlacesAndCauses(t *testing.T) {
	r := newRun(t, "places", "limits: {attempts: 1}\n")
	if sum, err := r.Do(t.Context()); err != nil || sum.Ended != 2 {
		t.Fatalf("%+v, %v", sum, err)
	}
	dir := t.TempDir()
	for _, target := range reportIn(t, r, dir).Targets {
		if want := target.Name + ": no such command (and 1 more in its report)"; target.Jobs[0].Reason != want {
			t.Errorf("reason %q, want %q", target.Jobs[0].Reason, want)
		}
	}
	for _, name := range []string{"a.json", "b.json"} {
		files, _ := filepath.Glob(filepath.Join(dir, "results", name+"-*")) // the pattern is well-formed
		if len(files) != 1 {
			t.Fatalf("results %q, want one of %s", files, name)
		}
		text, err := os.ReadFile(files[0])
		if want := fmt.Sprintf(`{"file":%q,"other":%q}`, name, name); err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "job-") {
			t.Errorf("%s: %s, %v; want %s", name, text, err, want)
		}
	}
}

// What fails since nothing can be written is no attempt: the job waits for room.
func TestNoRoomSpendsNoAttempt(t *testing.T) {
	r := newRun(t, "fills", "limits: {attempts: 1}\n")
	r.Workers = 1
	waited := 0
	r.Note = func(format string, args ...any) {
		t.Logf(format, args...)
		if strings.Contains(format, "spends no attempt") {
			waited++
			if err := os.MkdirAll(r.Home.file("work"), 0o700); err != nil {
				t.Error(err)
			}
		}
	}
	sum, err := r.Do(t.Context())
	if err != nil || sum.Ended != 2 || reportOf(t, r).Summary.Done != 2 || waited != 1 {
		t.Errorf("%+v, %v, told %d times; want both jobs done after one wait", sum, err, waited)
	}
}

// A worker that joined by the plan finds the server that its owner begins anew, and is told when it is away.
func TestTheServerIsFoundAgain(t *testing.T) {
	home := HomeOf(filepath.Join(t.TempDir(), "plan.yaml"))
	owner, err := home.Begin(Access{})
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan bool, 10)
	worker, err := home.Join(Access{Away: func(away bool) { told <- away }})
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	if _, err := home.Begin(Access{}); err == nil {
		t.Fatal("a second server is begun over the store of the first")
	}
	owner.Close()
	if again, err := home.Begin(Access{}); err != nil {
		t.Fatal(err)
	} else {
		defer again.Close()
		if _, err := again.Create(t.Context(), "t", DefaultReserve()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := worker.Open(t.Context(), "t"); err != nil {
		t.Error(err)
	}
	for _, want := range []bool{true, false} {
		if got := <-told; got != want {
			t.Errorf("told away %v, want %v", got, want)
		}
	}
}

// What is done once is not done again, by the same plan or by another of its name that asks for more.
func TestDoneOnce(t *testing.T) {
	r := newRun(t, "writes", "")
	for range 2 {
		sum, err := r.Do(t.Context())
		if err != nil || sum.Ended != 2 || reportOf(t, r).Summary.Done != 2 {
			t.Fatalf("%+v, %v; want 2 jobs done", sum, err)
		}
	}
	if got := reportOf(t, r); !got.Summary.Complete || got.Summary.Counts["high"] != 4 || got.ExitCode() != result.ExitOK {
		t.Errorf("summary %+v, want it complete with 4 findings", got.Summary)
	}
	if n := started(t, r); n != 2 {
		t.Errorf("%d processes were started, want 2", n)
	}
	more, wrong := Parse(r.Plan.File, "targets: [a.json, b.json, {url: 'http://127.0.0.1:1/mcp'}]\nlanes: [scan]\n")
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	r.Plan = more
	if sum, err := r.Do(t.Context()); err != nil || sum.Ended != 3 {
		t.Errorf("%+v, %v; want 3 jobs done", sum, err)
	}
	if n := started(t, r); n != 3 {
		t.Errorf("%d processes were started, want 3", n)
	}
}

// A job that fails is tried as often as the plan says, and is in the report with its reason.
func TestFailures(t *testing.T) {
	for _, tt := range []struct{ as, limits, want string }{
		{"dies", "limits: {attempts: 1}", "it wrote no report, exit code 3: <U+001B>[31mthe parser ran away"},
		{"hangs", "limits: {attempts: 1, time: 1s}", "its time was over"},
		{"babbles", "limits: {attempts: 1}", "its output is not a report: unexpected end of JSON input"},
	} {
		t.Run(tt.as, func(t *testing.T) {
			r := newRun(t, tt.as, tt.limits+"\n")
			sum, err := r.Do(t.Context())
			if err != nil || reportOf(t, r).Summary.Failed != 2 {
				t.Fatalf("%+v, %v; want 2 failures", sum, err)
			}
			got := reportOf(t, r)
			if j := got.Targets[0].Jobs[0]; j.State != result.FleetFailed || j.Reason != tt.want || j.Attempts != 1 {
				t.Errorf("got %+v, want the reason %q", j, tt.want)
			}
			if got.Summary.Complete || got.ExitCode() != result.ExitTrouble {
				t.Errorf("summary %+v, exit code %d; want it incomplete", got.Summary, got.ExitCode())
			}
		})
	}
}

// Strangers who can write to NATS have no job started and no result counted.
func TestStrangers(t *testing.T) {
	r := newRun(t, "writes", "")
	r.Workers = 0
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { // ends with ctx, or with the jobs
		_, err := r.Do(ctx)
		over <- err
	}()
	defer func() {
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
	}()
	f := awaitFleet(t, r)
	keys, err := r.Home.OpenKeys()
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Home.readList()
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := NewKeys(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	evil := Job{Plan: list.Plan, Version: "test", Lane: Scan, Target: Target{Kind: Command, Value: []string{"sh"}}}
	foreign, err := stranger.SealJob(&evil)
	if err != nil {
		t.Fatal(err)
	}
	evil.Plan = strings.Repeat("0", 64)
	otherPlan, err := keys.SealJob(&evil)
	if err != nil {
		t.Fatal(err)
	}
	for i, message := range [][]byte{foreign, otherPlan, []byte("{}"), nil} {
		if err := f.Publish(ctx, "any", fmt.Sprint("stranger", i), message); err != nil {
			t.Fatal(err)
		}
	}
	if f.Publish(ctx, "any", "giant", make([]byte, MaxJob+2048)) == nil {
		t.Error("the queue takes a message longer than any job")
	}
	forged, err := json.Marshal(Entry{FleetJob: result.FleetJob{ID: list.Targets[0].Jobs[0].ID, State: result.FleetDone}, Digest: "0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Index.Put(ctx, list.Targets[0].Jobs[0].ID, stranger.Worker().SealText(forged)); err != nil {
		t.Fatal(err)
	}
	order, err := stranger.sign(purposeOrder, &Order{Plan: list.Plan, Version: "test", State: Canceled, Issued: time.Now().Add(time.Hour).UnixNano()})
	if err != nil {
		t.Fatal(err)
	}
	w := &Worker{Queue: f, Keys: keys.Worker(), ID: "w", Version: "test", Slots: 1, Capabilities: Capabilities{Words: []string{NeedsCommands}, Lookup: r.Capabilities.Lookup}, Runner: r.Runner, Temp: t.TempDir(), Note: t.Logf}
	w.obey(ctx, order)
	if w.order.Load() != nil {
		t.Error("the worker obeys a stranger")
	}
	working := make(chan error, 1)
	go func() { working <- w.Run(ctx) }() // ends with ctx
	defer func() {
		if err := <-working; err != nil {
			t.Error(err)
		}
	}()
	awaitEnd(t, over)
	got := reportOf(t, r)
	if !got.Summary.Complete || got.Summary.Counts["high"] != 4 {
		t.Errorf("summary %+v, want both jobs done by our worker", got.Summary)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for w.refused.Load() < 6 { // an order, a result, four messages in the queue
		<-tick.C
	}
	if n := started(t, r); n != 2 {
		t.Errorf("%d processes were started, want those of the 2 jobs of the plan", n)
	}
	if got := reportOf(t, r); len(got.Refused) != 6 {
		t.Errorf("the report says that these were refused: %q, want all 6", got.Refused)
	}
	over <- nil
	cancel()
}

func awaitFleet(t *testing.T, r *Run) *Queue {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		<-tick.C
		f, err := r.Server.Open(t.Context(), r.Plan.Name)
		if err != nil {
			continue
		}
		if n, _, err := f.Queued(t.Context()); err == nil && n == 2 {
			return f
		}
	}
}

func awaitEnd(t *testing.T, over chan error) {
	t.Helper()
	if err := <-over; err != nil {
		t.Fatal(err)
	}
}

// A job that needs what no worker has is not done, and the report says what it needs.
func TestUnfit(t *testing.T) {
	r := newRun(t, "writes", "region: moon\n")
	sum, err := r.Do(t.Context())
	if err != nil || sum.Ended != 0 || sum.Unfit["region moon"] != 2 {
		t.Fatalf("%+v, %v; want 2 jobs that need the region", sum, err)
	}
	if got := reportOf(t, r); got.Summary.NotDone != 2 || !strings.Contains(got.Targets[0].Jobs[0].Reason, "region moon") {
		t.Errorf("got %+v", got.Targets)
	}
}

// beginRun runs the plan in the background until its first two jobs have begun.
func beginRun(t *testing.T, r *Run) (o *Owner, over chan error) {
	t.Helper()
	over = make(chan error, 1)
	go func() { // ends when the fleet is cancelled or drained
		_, err := r.Do(t.Context())
		over <- err
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for started(t, r) < 2 {
		<-tick.C
	}
	o, err := r.Home.OpenOwner(t.Context(), Access{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Server.Close)
	return o, over
}

// A cancelled fleet stops what is under way and drops what waits; run goes on with it.
func TestCancel(t *testing.T) {
	r := newRun(t, "hangs", "")
	o, over := beginRun(t, r)
	if err := o.Tell(t.Context(), Canceled); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, over)
	if got := reportOf(t, r); got.Summary.NotDone != 2 || !strings.Contains(got.Targets[0].Jobs[0].Reason, "cancelled") {
		t.Errorf("got %+v, want 2 jobs not done since the fleet was cancelled", got.Summary)
	}
	r.Runner.Environ = append(r.Runner.Environ, jobRole+"=writes")
	if sum, err := r.Do(t.Context()); err != nil || sum.Ended != 2 {
		t.Errorf("%+v, %v; want both jobs done afterwards", sum, err)
	}
}

// A drained fleet ends all that is under way, whatever a lost worker had, and begins nothing; run goes on with what is queued.
func TestDrain(t *testing.T) {
	r := newRun(t, "waits", "")
	dir := filepath.Dir(r.Plan.File)
	if err := os.WriteFile(filepath.Join(dir, "c.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Plan, _ = Parse(r.Plan.File, "targets: [a.json, b.json, c.json]\nlanes: [scan]\n")
	o, over := beginRun(t, r)
	lost, err := o.queue.Next(t.Context(), "any", 5*time.Second) // as by a worker that is killed then
	if err != nil || lost == nil {
		t.Fatalf("the third job: %v, %v", lost, err)
	}
	if err := o.Tell(t.Context(), Draining); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for { // until the worker has heard of it: its only job ends after that
		s, err := o.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.State == Draining && len(s.Workers) == 1 && s.Workers[0].State == Draining {
			break
		}
		<-tick.C
	}
	if err := os.WriteFile(filepath.Join(dir, "started.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, over)
	if got := reportOf(t, r); got.Summary.Done != 2 || got.Summary.NotDone != 1 {
		t.Errorf("got %+v, want two jobs done and one not", got.Summary)
	}
	if err := lost.Nak(); err != nil {
		t.Fatal(err)
	}
	if sum, err := r.Do(t.Context()); err != nil || sum.Ended != 3 {
		t.Errorf("%+v, %v; want all jobs done afterwards", sum, err)
	}
}

// A list that was cut is an error.
func TestList(t *testing.T) {
	h := Home{t.TempDir()}
	want := &result.Fleet{Plan: "p", Name: "n", Targets: []result.FleetTarget{{Name: "a", Jobs: []result.FleetJob{{ID: "1", State: result.FleetNotDone}}}}}
	if err := writeJSON(h.file("jobs.json"), want); err != nil {
		t.Fatal(err)
	}
	if got, err := h.readList(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want what was written", got, err)
	}
	if err := os.Truncate(h.file("jobs.json"), 40); err != nil {
		t.Fatal(err)
	}
	if _, err := h.readList(); err == nil || !strings.Contains(err.Error(), "jobs.json: unexpected EOF") {
		t.Errorf("of a list that is cut: %v", err)
	}
}
