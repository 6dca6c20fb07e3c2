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
	Age      time.Duration // of jobs and results; what is older is dropped
	AckWait  time.Duration // silence of a worker after which its job goes to another
	Job      int           // longest message with a job, in bytes
}

// DefaultLimits are those of a fleet that sets none. Job is the caller's to set.
func DefaultLimits() Limits {
	return Limits{Replicas: 1, Queue: 1 << 30, Results: 4 << 30, Age: 90 * 24 * time.Hour, AckWait: 30 * time.Second}
}

// Bounds on small values, in bytes.
const (
	maxEntry = 64 << 10
	maxState = 64 << 20
)

// A Fleet is a queue of jobs, an index of what became of each, the state that workers share, and files.
type Fleet struct {
	Name string

	client *Client
	limits Limits
	jobs   jetstream.Stream
	index  jetstream.KeyValue
	state  jetstream.KeyValue
	files  jetstream.ObjectStore

	consumers sync.Map // of jobs, by class
}

// Create makes the queue and the stores of a fleet, or opens them where they are, with these limits.
func (c *Client) Create(ctx context.Context, name string, l Limits) (*Fleet, error) {
	f := &Fleet{Name: name, client: c, limits: l}
	if err := again(ctx, f.create); err != nil {
		return nil, fmt.Errorf("the fleet %s: %w", name, explainStorage(err))
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

func (f *Fleet) create(ctx context.Context) (err error) {
	f.jobs, err = f.client.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: f.Name + "-jobs", Subjects: []string{f.subject(">")}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		Compression: jetstream.S2Compression, Replicas: f.limits.Replicas, MaxBytes: f.limits.Queue, MaxAge: f.limits.Age, MaxMsgSize: int32(f.limits.Job + 1024), // with headers
		Discard: jetstream.DiscardNew,
	})
	if err != nil {
		return err
	}
	if f.index, err = f.bucket(ctx, "-index", "what became of each job", f.limits.Queue); err != nil {
		return err
	}
	if f.state, err = f.bucket(ctx, "-state", "orders, workers, and when what may begin", maxState); err != nil {
		return err
	}
	f.files, err = f.client.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: f.Name + "-files", TTL: f.limits.Age, MaxBytes: f.limits.Results, Replicas: f.limits.Replicas, Storage: jetstream.FileStorage,
	})
	return err
}

func (f *Fleet) bucket(ctx context.Context, suffix, what string, most int64) (jetstream.KeyValue, error) {
	return f.client.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: f.Name + suffix, Description: what, History: 1, TTL: f.limits.Age, MaxValueSize: maxEntry, MaxBytes: most, Replicas: f.limits.Replicas,
	})
}

// ErrNoFleet means that there is no fleet of a name.
var ErrNoFleet = errors.New("there is no fleet of this name: begin one with gauntlet-fleet run")

// Open opens the queue and the stores of a fleet that is there.
func (c *Client) Open(ctx context.Context, name string) (*Fleet, error) {
	f := &Fleet{Name: name, client: c, limits: DefaultLimits()}
	err := again(ctx, func(ctx context.Context) (err error) {
		if f.jobs, err = c.js.Stream(ctx, name+"-jobs"); err != nil {
			return err
		}
		if f.index, err = c.js.KeyValue(ctx, name+"-index"); err != nil {
			return err
		}
		if f.state, err = c.js.KeyValue(ctx, name+"-state"); err != nil {
			return err
		}
		f.files, err = c.js.ObjectStore(ctx, name+"-files")
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

// subject is that of the jobs of a class.
func (f *Fleet) subject(class string) string {
	return strings.Join([]string{"gauntlet", f.Name, "jobs", class}, ".")
}
