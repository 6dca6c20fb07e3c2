package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// startNATS starts a server and returns how to end it.
func startNATS(t *testing.T, c natsConfig) *process {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, "nats", string(text))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", c.Port)); err == nil {
			conn.Close()
			return p
		}
		select {
		case <-p.over:
			t.Fatalf("the NATS server ended: %s", p.lines())
		case <-tick.C:
		}
	}
}

// Workers are killed, the NATS server is restarted and the network is cut; every result is there exactly once, none is lost,
// and the report is complete. GAUNTLET_FLEET_JOBS sets how many jobs there are; from 2,000 on a worker is killed every ten
// seconds and the server is restarted twice.
func TestKill(t *testing.T) {
	if os.Getenv("GAUNTLET_HEAVY") == "" {
		t.Skip("it takes half a minute: only with GAUNTLET_HEAVY=1, as .ci/full has it")
	}
	jobs := atoi(t, "GAUNTLET_FLEET_JOBS", 300)
	heavy := jobs >= 2000
	dir := t.TempDir()
	plan := writeSnapshots(t, dir, jobs, "limits: {attempts: 10}\n")
	port := freePorts(t, 1)[0]
	config := natsConfig{Port: port, Name: "one", Store: filepath.Join(dir, "store")}
	direct := fmt.Sprintf("nats://127.0.0.1:%d", port)
	nats := startNATS(t, config)
	between := startProxy(t, fmt.Sprintf("127.0.0.1:%d", port))

	out := filepath.Join(dir, "report.json")
	run := startProcess(t, "program", "run", "--max-queue", "64", "--max-results", "256", "--nats", between.url(), "--workers", "0", "--ack-wait", "10s", "--format", "json", "--output", out, plan)
	awaitFile(t, run, filepath.Join(dir, "kill.fleet", "jobs.json"))
	worker := func() *process {
		return startProcess(t, "program", "worker", "--nats", between.url(), "--plan", plan, "--jobs", "2")
	}
	workers := []*process{worker(), worker(), worker(), worker()}

	kills, restarts, lastKill, cut := 0, 0, time.Now(), time.Time{}
	wasCut := false
	began := time.Now()
	log := func(results int, what string) {
		t.Logf("%4.0fs %5d results: %s; NATS has %d MB, a worker %d MB", time.Since(began).Seconds(), results, what, nats.megabytes(), workers[0].megabytes())
	}
	eachSecond(t, direct, run.over, func(results int) {
		for i, w := range workers { // a worker that began before there was a fleet
			if w.hasEnded() {
				workers[i] = worker()
			}
		}
		if heavy && time.Since(lastKill) > 10*time.Second && results < jobs || !heavy && kills == 0 && results > jobs/5 {
			kills, lastKill = kills+1, time.Now()
			log(results, "a worker is killed")
			workers[kills%4].kill()
			workers[kills%4] = worker()
		}
		if restarts == 0 && results > jobs/3 || heavy && restarts == 1 && results > jobs*2/3 {
			log(results, "NATS is restarted")
			if restarts == 0 {
				nats.kill()
			} else {
				_ = nats.cmd.Process.Signal(syscall.SIGTERM)
				<-nats.over
			}
			restarts++
			nats = startNATS(t, config)
		}
		if !wasCut && results > jobs/2 {
			between.setCut(true)
			wasCut, cut = true, time.Now()
			log(results, "the network is cut")
		}
		if wasCut && !cut.IsZero() && time.Since(cut) > 3*time.Second && (!heavy || time.Since(cut) > 20*time.Second) {
			between.setCut(false)
			cut = time.Time{}
			log(results, "the network is back")
		}
	})
	if code := run.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("run ended with %d: %s", code, run.lines())
	}
	if kills == 0 || restarts == 0 || !wasCut {
		t.Errorf("%d workers killed, %d restarts, cut %t: nothing was tried", kills, restarts, wasCut)
	}
	t.Logf("%d jobs: %d workers killed, NATS restarted %d times, the network cut once", jobs, kills, restarts)
	checkOnce(t, out, direct, jobs)
}

// awaitFile waits for a file that a process writes.
func awaitFile(t *testing.T, p *process, name string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(name); err == nil {
			return
		}
		select {
		case <-p.over:
			t.Fatalf("it ended without writing %s: %s", name, p.lines())
		case <-tick.C:
		}
	}
}
