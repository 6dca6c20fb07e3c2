package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// In a cluster of three NATS servers one is killed for good; every result is there exactly once, and the report is complete.
func TestCluster(t *testing.T) {
	if os.Getenv("GAUNTLET_HEAVY") == "" {
		t.Skip("it takes half a minute: only with GAUNTLET_HEAVY=1, as .ci/full has it")
	}
	jobs := atoi(t, "GAUNTLET_FLEET_CLUSTER_JOBS", 60)
	dir := t.TempDir()
	plan := writeSnapshots(t, dir, jobs, "limits: {attempts: 10}\n")
	ports := freePorts(t, 6)
	var nodes []*process
	var urls string
	for i := range 3 {
		nodes = append(nodes, startNATS(t, natsConfig{Port: ports[i], ClusterPort: ports[3+i], Name: fmt.Sprint("node", i), Store: filepath.Join(dir, fmt.Sprint("node", i)), Routes: ports[3:]}))
		urls += fmt.Sprintf(",nats://127.0.0.1:%d", ports[i])
	}
	urls = urls[1:]
	out := filepath.Join(dir, "report.json")
	run := startProcess(t, "program", "run", "--max-queue", "64", "--max-results", "256", "--nats", urls, "--replicas", "3", "--workers", "0", "--ack-wait", "10s", "--format", "json", "--output", out, plan)
	awaitFile(t, run, filepath.Join(dir, "kill.fleet", "jobs.json"))
	var workers [2]*process
	killed := false
	eachSecond(t, urls, run.over, func(results int) {
		for i, w := range workers {
			if w == nil || w.hasEnded() {
				workers[i] = startProcess(t, "program", "worker", "--nats", urls, "--plan", plan, "--jobs", "2")
			}
		}
		if !killed && results > jobs/3 {
			killed = true
			nodes[1].kill()
		}
	})
	if code := run.cmd.ProcessState.ExitCode(); code != 0 || !killed {
		t.Errorf("run ended with %d, node killed %t: %s", code, killed, run.lines())
	}
	checkOnce(t, out, urls, jobs)
}
