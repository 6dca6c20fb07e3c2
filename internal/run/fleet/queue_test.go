package fleet

import (
	"crypto/rand"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A million queued jobs take less than 1 GB on disk. GAUNTLET_FLEET_QUEUE sets how many are queued, and then says how long a
// server takes to start over them.
func TestQueueOnDisk(t *testing.T) {
	const jobBytes = 400 // of a scan of one file, signature included
	n := 5_000
	if text := os.Getenv("GAUNTLET_FLEET_QUEUE"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	size := fill(t, dir, n, jobBytes)
	if perJob := size / int64(n); perJob > 1000 {
		t.Errorf("%d bytes a job, so a million would take more than 1 GB", perJob)
	}
	began := time.Now()
	c, err := Home{dir}.Begin(Access{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f, err := c.Open(t.Context(), "million")
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Next(t.Context(), "any", 30*time.Second)
	if err != nil || d == nil {
		t.Fatalf("no job after the restart: %v", err)
	}
	t.Logf("%d jobs: %d MB on disk, the first job %v after the start", n, size>>20, time.Since(began))
	if queued, _, err := f.Queued(t.Context()); err != nil || queued != n {
		t.Errorf("%d jobs after the restart (%v), want %d", queued, err, n)
	}
}

// fill queues jobs, one of them twice, and returns their bytes on disk.
func fill(t *testing.T, dir string, n, jobBytes int) int64 {
	t.Helper()
	c, err := Home{dir}.Begin(Access{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	limits := DefaultReserve()
	f, err := c.Create(t.Context(), "million", limits)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.AddClass(t.Context(), "any", nil, limits); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for first := range 100 {
		all.Go(func() { // ends when its part is queued
			for i := first; i < n; i += 100 {
				data := make([]byte, jobBytes)
				_, _ = rand.Read(data) // signatures and digests do not compress
				if err := f.Publish(t.Context(), "any", strconv.Itoa(i), data); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := f.Publish(t.Context(), "any", "0", []byte("the first once more")); err != nil {
		t.Error(err)
	}
	_, size, err := f.Queued(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return size
}
