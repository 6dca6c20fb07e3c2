package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Reserve bounds what a fleet keeps in NATS.
type Reserve struct {
	Replicas int           // copies of everything, 1 to 5
	Queue    int64         // most bytes of waiting jobs
	Results  int64         // most bytes of results
	Age      time.Duration // of jobs and results; what is older is dropped
	AckWait  time.Duration // silence of a worker after which its job goes to another
}

// DefaultReserve is that of a fleet that sets none.
func DefaultReserve() Reserve {
	return Reserve{Replicas: 1, Queue: 1 << 30, Results: 4 << 30, Age: 90 * 24 * time.Hour, AckWait: 30 * time.Second}
}

// Bounds on small values, in bytes.
const (
	maxEntry = 64 << 10
	maxState = 64 << 20
)

// A Queue keeps a fleet's jobs, files, and two stores of small values on NATS JetStream.
type Queue struct {
	Index Store // what became of each job
	State Store // orders and workers

	name      string
	js        jetstream.JetStream
	jobs      jetstream.Stream
	files     jetstream.ObjectStore
	consumers sync.Map // of jobs, by class
}

// Create makes the queue and the stores of a fleet, or opens them where they are, with these limits.
func (s *Server) Create(ctx context.Context, name string, r Reserve) (*Queue, error) {
	err := again(ctx, func(ctx context.Context) error {
		_, err := s.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: name + "-jobs", Subjects: []string{subject(name, ">")}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
			Compression: jetstream.S2Compression, Replicas: r.Replicas, MaxBytes: r.Queue, MaxAge: r.Age, MaxMsgSize: MaxJob + 1024, // with headers
			Discard: jetstream.DiscardNew,
		})
		for suffix, most := range map[string]int64{"-index": r.Queue, "-state": maxState} {
			if err == nil {
				_, err = s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name + suffix, TTL: r.Age, MaxValueSize: maxEntry, MaxBytes: most, Replicas: r.Replicas})
			}
		}
		if err == nil {
			_, err = s.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name + "-files", TTL: r.Age, MaxBytes: r.Results, Replicas: r.Replicas})
		}
		return err
	})
	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode == 10047 { // JSStorageResourcesExceededErr
		err = fmt.Errorf("%w: the server reserves what --max-queue and --max-results allow", err)
	}
	if err != nil {
		return nil, fmt.Errorf("the fleet %s: %w", name, err)
	}
	return s.Open(ctx, name)
}

// Open opens the queue and the stores of a fleet that is there.
func (s *Server) Open(ctx context.Context, name string) (*Queue, error) {
	q := &Queue{name: name, js: s.js}
	err := again(ctx, func(ctx context.Context) (err error) {
		if q.jobs, err = s.js.Stream(ctx, name+"-jobs"); err != nil {
			return err
		}
		if q.Index.kv, err = s.js.KeyValue(ctx, name+"-index"); err != nil {
			return err
		}
		if q.State.kv, err = s.js.KeyValue(ctx, name+"-state"); err != nil {
			return err
		}
		q.files, err = s.js.ObjectStore(ctx, name+"-files")
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrBucketNotFound):
		return nil, fmt.Errorf("there is no fleet %s here: begin it with gauntlet-fleet run", name)
	case err != nil:
		return nil, fmt.Errorf("the fleet %s: %w", name, err)
	}
	return q, nil
}

func subject(fleet, class string) string { return "gauntlet." + fleet + ".jobs." + class }

// AddClass makes the consumer of a class of jobs, one word. What the class needs of a worker travels with it, so that workers
// can tell whether it is for them; a job says so itself, and that counts.
func (q *Queue) AddClass(ctx context.Context, class string, needs []string, r Reserve) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := q.jobs.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: class, FilterSubject: subject(q.name, class), AckPolicy: jetstream.AckExplicitPolicy, AckWait: r.AckWait,
			MaxDeliver: -1, MaxAckPending: 10_000, Metadata: map[string]string{"needs": strings.Join(needs, "\n")}, Replicas: r.Replicas,
		})
		return err
	})
}

// A Class is a class of jobs.
type Class struct {
	Name    string   `json:"-"`
	Needs   []string `json:"needs"`
	Waiting int      `json:"waiting"` // jobs that nobody has
	Taken   int      `json:"taken"`   // jobs that workers have, or had when they were last heard of
}

// Classes lists the classes of jobs.
func (q *Queue) Classes(ctx context.Context) (out []Class, err error) {
	err = again(ctx, func(ctx context.Context) error {
		out = nil
		list := q.jobs.ListConsumers(ctx)
		for info := range list.Info() {
			needs := strings.FieldsFunc(info.Config.Metadata["needs"], func(r rune) bool { return r == '\n' })
			out = append(out, Class{info.Name, needs, int(info.NumPending), info.NumAckPending})
		}
		return list.Err()
	})
	return out, err
}

// Publish queues a job of a class that AddClass was called for. Where the queue is full it waits until workers made room. A job
// of an id is queued once, also where an answer of the server is lost; but an id that was used in the last minutes is dropped in
// silence, so it has to be new each time.
func (q *Queue) Publish(ctx context.Context, class, id string, job []byte) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := q.js.Publish(ctx, subject(q.name, class), job, jetstream.WithMsgID(id))
		return err
	})
}

// A Delivery is a job that this worker has until it says what became of it.
type Delivery struct {
	jetstream.Msg
	// Attempt is 1 for the first delivery of the job.
	Attempt int
}

// Next takes a job of a class, and waits for one up to a time. It returns nil if there was none.
func (q *Queue) Next(ctx context.Context, class string, wait time.Duration) (*Delivery, error) {
	consumer, ok := q.consumers.Load(class)
	if !ok {
		c, err := q.jobs.Consumer(ctx, class)
		if err != nil {
			return nil, err
		}
		consumer, _ = q.consumers.LoadOrStore(class, c)
	}
	fetch := consumer.(jetstream.Consumer).FetchNoWait
	if wait > 0 {
		fetch = func(n int) (jetstream.MessageBatch, error) {
			return consumer.(jetstream.Consumer).Fetch(n, jetstream.FetchMaxWait(wait))
		}
	}
	batch, err := fetch(1)
	if err != nil {
		return nil, err
	}
	if m, ok := <-batch.Messages(); ok {
		meta, err := m.Metadata()
		if err != nil {
			return nil, fmt.Errorf("a message that is no delivery: %w", err)
		}
		return &Delivery{m, int(meta.NumDelivered)}, nil
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
		return nil, err
	}
	return nil, nil
}

// Done takes the job off the queue, and waits until the server says so.
func (d *Delivery) Done(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return d.DoubleAck(ctx)
}

// PurgeJobs empties the queue.
func (q *Queue) PurgeJobs(ctx context.Context) error {
	return again(ctx, func(ctx context.Context) error { return q.jobs.Purge(ctx) })
}

// Queued is how many jobs the queue holds, those that workers have included, and its bytes on disk.
func (q *Queue) Queued(ctx context.Context) (jobs int, size int64, err error) {
	err = again(ctx, func(ctx context.Context) error {
		info, err := q.jobs.Info(ctx)
		if err == nil {
			jobs, size = int(info.State.Msgs), int64(info.State.Bytes)
		}
		return err
	})
	return jobs, size, err
}

// A Store keeps small values by key.
type Store struct{ kv jetstream.KeyValue }

// Get returns the value of a key, nil if it has none.
func (s Store) Get(ctx context.Context, key string) (out []byte, err error) {
	err = again(ctx, func(ctx context.Context) error {
		e, err := s.kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err == nil {
			out = e.Value()
		}
		return err
	})
	return out, err
}

// Put sets the value of a key.
func (s Store) Put(ctx context.Context, key string, value []byte) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := s.kv.Put(ctx, key, value)
		return err
	})
}

// Delete forgets a key.
func (s Store) Delete(ctx context.Context, key string) error {
	return again(ctx, func(ctx context.Context) error { return s.kv.Delete(ctx, key) })
}

// Swap replaces the value of a key, nil for none, by what next makes of it; nil leaves it. Where somebody else was faster,
// next is asked again.
func (s Store) Swap(ctx context.Context, key string, next func(there []byte) []byte) error {
	for {
		err := again(ctx, func(ctx context.Context) error {
			e, err := s.kv.Get(ctx, key)
			switch {
			case errors.Is(err, jetstream.ErrKeyNotFound):
				_, err = s.kv.Create(ctx, key, next(nil))
			case err == nil:
				if v := next(e.Value()); v != nil {
					_, err = s.kv.Update(ctx, key, v, e.Revision())
				}
			}
			return err
		})
		var api *jetstream.APIError
		if errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
			continue
		}
		return err
	}
}

// List calls each with every key that matches a pattern of NATS, such as "worker.*", and its value.
func (s Store) List(ctx context.Context, pattern string, each func(key string, value []byte)) error {
	var w jetstream.KeyWatcher
	if err := again(ctx, func(context.Context) (err error) { // the watch lasts as long as ctx, not as long as the call
		w, err = s.kv.Watch(ctx, pattern, jetstream.IgnoreDeletes())
		return err
	}); err != nil {
		return err
	}
	defer w.Stop() //nolint:errcheck // there is nothing to be done about it
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-w.Updates():
			switch {
			case !ok:
				return errors.New("NATS ended the watch")
			case e == nil: // these were all
				return nil
			}
			each(e.Key(), e.Value())
		}
	}
}

// Digest names content.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// PutFile stores content under its digest, which it returns.
func (q *Queue) PutFile(ctx context.Context, content []byte) (digest string, err error) {
	digest = Digest(content)
	return digest, again(ctx, func(ctx context.Context) error {
		_, err := q.files.Put(ctx, jetstream.ObjectMeta{Name: digest}, bytes.NewReader(content))
		return err
	})
}

// File returns the content with a digest, whatever the store says that it is, of at most a size.
func (q *Queue) File(ctx context.Context, digest string, most int) (content []byte, err error) {
	err = again(ctx, func(ctx context.Context) error {
		o, err := q.files.Get(ctx, digest)
		if err != nil {
			return err
		}
		defer o.Close()
		content, err = io.ReadAll(io.LimitReader(o, int64(most)+1))
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrObjectNotFound):
		return nil, errors.New("the store does not hold it")
	case err != nil:
		return nil, err
	case len(content) > most:
		return nil, fmt.Errorf("it has more than %d bytes", most)
	case Digest(content) != digest:
		return nil, errors.New("the store holds something else under its name")
	}
	return content, nil
}
