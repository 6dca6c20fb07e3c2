package broker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Limits bound what a fleet keeps in NATS.
type Limits struct {
	Replicas int           // copies of everything, 1 to 5
	Queue    int64         // most bytes of waiting jobs
	Results  int64         // most bytes of results
	Age      time.Duration // of jobs, results and failures; what is older is dropped
	AckWait  time.Duration // silence of a worker after which its job goes to another
	Job      int           // longest message with a job, in bytes
}

// DefaultLimits are those of a fleet that sets none. Job is the caller's to set.
func DefaultLimits() Limits {
	return Limits{Replicas: 1, Queue: 1 << 30, Results: 4 << 30, Age: 90 * 24 * time.Hour, AckWait: 30 * time.Second}
}

// Bounds on small values.
const (
	maxEntry   = 64 << 10
	maxState   = 64 << 20
	workerLife = 30 * time.Second // a worker that has not said anything for so long is gone
	dedupTime  = 10 * time.Minute // within which a job published twice is queued once
)

// A Fleet is the streams and stores of one fleet.
type Fleet struct {
	Name string

	client  *Client
	limits  Limits
	jobs    jetstream.Stream
	failed  jetstream.Stream
	index   jetstream.KeyValue
	state   jetstream.KeyValue
	workers jetstream.KeyValue
	results jetstream.ObjectStore
	inputs  jetstream.ObjectStore

	consumers struct {
		sync.Mutex
		open map[string]jetstream.Consumer
	}
}

// Create makes the streams and stores of a fleet, or opens them where they are, with these limits.
func (c *Client) Create(ctx context.Context, name string, l Limits) (*Fleet, error) {
	f := &Fleet{Name: name, client: c, limits: l}
	for _, step := range []func(context.Context) error{f.createQueue, f.createFailures, f.createStores} {
		if err := again(ctx, step); err != nil {
			return nil, fmt.Errorf("the fleet %s: %w", name, explainStorage(err))
		}
	}
	return f, nil
}

// explainStorage says how to do with less where a server has not the room that the limits ask for.
func explainStorage(err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode == jsInsufficientStorage {
		return fmt.Errorf("%w: the server reserves what --max-queue and --max-results allow", err)
	}
	return err
}

// jsInsufficientStorage is JSInsufficientResourcesErr or JSStorageResourcesExceededErr of the server.
const jsInsufficientStorage = 10047

func (f *Fleet) createQueue(ctx context.Context) (err error) {
	f.jobs, err = f.client.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: f.Name + "-jobs", Subjects: []string{f.subject("jobs", ">")}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		Compression: jetstream.S2Compression, Replicas: f.limits.Replicas, MaxBytes: f.limits.Queue, MaxAge: f.limits.Age, MaxMsgSize: int32(f.limits.Job + 1024), // with headers
		Discard: jetstream.DiscardNew, Duplicates: min(dedupTime, f.limits.Age),
	})
	return err
}

// createFailures makes the stream of failures: one a job, never replaced.
func (f *Fleet) createFailures(ctx context.Context) (err error) {
	f.failed, err = f.client.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: f.Name + "-failures", Subjects: []string{f.subject("failed", ">")}, Storage: jetstream.FileStorage, Compression: jetstream.S2Compression,
		Replicas: f.limits.Replicas, MaxAge: f.limits.Age, MaxBytes: f.limits.Queue / 2, MaxMsgSize: maxEntry, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
	})
	return err
}

func (f *Fleet) createStores(ctx context.Context) (err error) {
	kv := func(suffix, what string, age time.Duration, most int64) (jetstream.KeyValue, error) {
		return f.client.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: f.Name + suffix, Description: what, History: 1, TTL: age, MaxValueSize: maxEntry, MaxBytes: most, Replicas: f.limits.Replicas,
		})
	}
	if f.index, err = kv("-index", "what became of each job", f.limits.Age, f.limits.Queue); err != nil {
		return err
	}
	if f.state, err = kv("-state", "orders, and when what may begin", f.limits.Age, maxState); err != nil {
		return err
	}
	if f.workers, err = kv("-workers", "workers that are there", workerLife, maxState); err != nil {
		return err
	}
	object := func(suffix string) (jetstream.ObjectStore, error) {
		return f.client.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: f.Name + suffix, TTL: f.limits.Age, MaxBytes: f.limits.Results, Replicas: f.limits.Replicas, Storage: jetstream.FileStorage,
		})
	}
	if f.results, err = object("-results"); err != nil {
		return err
	}
	f.inputs, err = object("-inputs")
	return err
}

// ErrNoFleet means that there is no fleet of a name.
var ErrNoFleet = errors.New("there is no fleet of this name: begin one with gauntlet-fleet run")

// Open opens the streams and stores of a fleet that is there.
func (c *Client) Open(ctx context.Context, name string) (*Fleet, error) {
	f := &Fleet{Name: name, client: c, limits: DefaultLimits()}
	err := again(ctx, func(ctx context.Context) (err error) {
		if f.jobs, err = c.js.Stream(ctx, name+"-jobs"); err != nil {
			return err
		}
		if f.failed, err = c.js.Stream(ctx, name+"-failures"); err != nil {
			return err
		}
		for suffix, to := range map[string]*jetstream.KeyValue{"-index": &f.index, "-state": &f.state, "-workers": &f.workers} {
			if *to, err = c.js.KeyValue(ctx, name+suffix); err != nil {
				return err
			}
		}
		if f.results, err = c.js.ObjectStore(ctx, name+"-results"); err != nil {
			return err
		}
		f.inputs, err = c.js.ObjectStore(ctx, name+"-inputs")
		return err
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, ErrNoFleet
	}
	if err != nil {
		return nil, fmt.Errorf("the fleet %s: %w", name, err)
	}
	return f, nil
}

func (f *Fleet) subject(words ...string) string {
	return "gauntlet." + f.Name + "." + strings.Join(words, ".")
}
