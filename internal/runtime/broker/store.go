package broker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrExists means that there is an entry already, which stays.
var ErrExists = errors.New("there is an entry already")

// CreateEntry writes what became of a job. An entry that is there is not replaced: the error is ErrExists then.
func (f *Fleet) CreateEntry(ctx context.Context, job string, entry []byte) error {
	err := again(ctx, func(ctx context.Context) error {
		_, err := f.index.Create(ctx, job, entry)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyExists) {
		return ErrExists
	}
	return err
}

// ReplaceEntry writes over an entry of which the caller knows that no worker wrote it. revision is the one that was read.
func (f *Fleet) ReplaceEntry(ctx context.Context, job string, entry []byte, revision uint64) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := f.index.Update(ctx, job, entry, revision)
		return err
	})
}

// Entry returns what became of a job, nil if there is nothing, and its revision.
func (f *Fleet) Entry(ctx context.Context, job string) (entry []byte, revision uint64, err error) {
	err = again(ctx, func(ctx context.Context) error {
		e, err := f.index.Get(ctx, job)
		if err == nil {
			entry, revision = e.Value(), e.Revision()
		}
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	return entry, revision, err
}

// Writes is how many entries were ever written to the index, overwritten ones included.
func (f *Fleet) Writes(ctx context.Context) (int, error) {
	var last uint64
	err := again(ctx, func(ctx context.Context) error {
		s, err := f.client.js.Stream(ctx, "KV_"+f.Name+"-index")
		if err == nil {
			last = s.CachedInfo().State.LastSeq
		}
		return err
	})
	return int(last), err
}

// WatchEntries calls each with every entry there is and every one that is written from then on, until ctx ends. all is called
// once when those that were there are through.
func (f *Fleet) WatchEntries(ctx context.Context, each func(job string, entry []byte), all func()) error {
	return f.watch(ctx, f.index, each, all)
}

func (f *Fleet) watch(ctx context.Context, kv jetstream.KeyValue, each func(key string, value []byte), all func()) error {
	var w jetstream.KeyWatcher
	if err := again(ctx, func(context.Context) (err error) { // the watch lasts as long as ctx, not as long as the call
		w, err = kv.WatchAll(ctx, jetstream.IgnoreDeletes())
		return err
	}); err != nil {
		return err
	}
	defer w.Stop() //nolint:errcheck // there is nothing to be done about it
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.Updates():
			switch {
			case !ok:
				return errors.New("NATS ended the watch")
			case e == nil:
				all()
			default:
				each(e.Key(), e.Value())
			}
		}
	}
}

// PutFailure records that a job failed for good. The first record stays.
func (f *Fleet) PutFailure(ctx context.Context, job string, record []byte) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := f.client.js.Publish(ctx, f.subject("failed", job), record) // the stream takes one a job
		if err != nil && strings.Contains(err.Error(), "maximum messages per subject exceeded") {
			return nil // its code is that of a server that is away
		}
		return err
	})
}

// WatchFailures calls each with every record of a failure there is and every one that comes, until ctx ends. all is called
// once when those that were there are through.
func (f *Fleet) WatchFailures(ctx context.Context, each func(job string, record []byte), all func()) error {
	var c jetstream.Consumer
	if err := again(ctx, func(ctx context.Context) (err error) {
		c, err = f.failed.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
		return err
	}); err != nil {
		return err
	}
	info, err := c.Info(ctx)
	if err != nil {
		return err
	}
	if info.NumPending == 0 {
		all()
	}
	prefix := f.subject("failed", "")
	consuming, err := c.Consume(func(m jetstream.Msg) {
		each(strings.TrimPrefix(m.Subject(), prefix), m.Data())
		if meta, err := m.Metadata(); err == nil && meta.NumPending == 0 {
			all()
		}
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	consuming.Stop()
	<-consuming.Closed()
	return nil
}

// ForgetFailure removes the record of a failure, so that the job can be tried again.
func (f *Fleet) ForgetFailure(ctx context.Context, job string) error {
	return again(ctx, func(ctx context.Context) error {
		return f.failed.Purge(ctx, jetstream.WithPurgeSubject(f.subject("failed", job)))
	})
}

// Digest names content.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// resultName keeps reports of different jobs apart, and two reports of one job, of which the index names one.
func resultName(job, digest string) string { return job + "." + digest }

// PutResult stores a report of a job, and returns its digest. The same content again changes nothing.
func (f *Fleet) PutResult(ctx context.Context, job string, content []byte) (digest string, err error) {
	digest = Digest(content)
	return digest, put(ctx, f.results, resultName(job, digest), content)
}

// Result returns the report of a job that has a digest, of at most a size.
func (f *Fleet) Result(ctx context.Context, job, digest string, most int) ([]byte, error) {
	return get(ctx, f.results, resultName(job, digest), digest, most)
}

// DropResult removes a report that no entry names.
func (f *Fleet) DropResult(ctx context.Context, job, digest string) error {
	return again(ctx, func(ctx context.Context) error { return f.results.Delete(ctx, resultName(job, digest)) })
}

// PutInput stores a file that jobs read under its digest, unless it is there already.
func (f *Fleet) PutInput(ctx context.Context, content []byte) error {
	digest := Digest(content)
	if info, err := f.inputs.GetInfo(ctx, digest); err == nil && info.Size == uint64(len(content)) {
		return nil
	}
	return put(ctx, f.inputs, digest, content)
}

// Input returns a file that jobs read, of at most a size.
func (f *Fleet) Input(ctx context.Context, digest string, most int) ([]byte, error) {
	return get(ctx, f.inputs, digest, digest, most)
}

func put(ctx context.Context, store jetstream.ObjectStore, name string, content []byte) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := store.Put(ctx, jetstream.ObjectMeta{Name: name}, bytes.NewReader(content))
		return err
	})
}

// get returns content that has the digest, whatever a store says it is.
func get(ctx context.Context, store jetstream.ObjectStore, name, digest string, most int) ([]byte, error) {
	var content []byte
	err := again(ctx, func(ctx context.Context) error {
		o, err := store.Get(ctx, name)
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

// PutOrder tells every worker something; Order and WatchOrder read it.
func (f *Fleet) PutOrder(ctx context.Context, order []byte) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := f.state.Put(ctx, "order", order)
		return err
	})
}

// Order returns what workers were last told, nil for nothing.
func (f *Fleet) Order(ctx context.Context) (order []byte, err error) {
	err = again(ctx, func(ctx context.Context) error {
		e, err := f.state.Get(ctx, "order")
		if err == nil {
			order = e.Value()
		}
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	return order, err
}

// WatchOrder calls each with the order there is and every later one, until ctx ends.
func (f *Fleet) WatchOrder(ctx context.Context, each func(order []byte)) error {
	return f.watch(ctx, f.state, func(key string, value []byte) {
		if key == "order" {
			each(value)
		}
	}, func() {})
}

// PutWorker says that a worker is there. It is forgotten unless it says so again within half a minute.
func (f *Fleet) PutWorker(ctx context.Context, id string, about []byte) error {
	_, err := f.workers.Put(ctx, id, about)
	return err
}

// DropWorker says that a worker is gone.
func (f *Fleet) DropWorker(ctx context.Context, id string) error { return f.workers.Purge(ctx, id) }

// Workers returns what the workers that are there say about themselves.
func (f *Fleet) Workers(ctx context.Context) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := again(ctx, func(ctx context.Context) error {
		keys, err := f.workers.Keys(ctx)
		if errors.Is(err, jetstream.ErrNoKeysFound) {
			return nil
		}
		for _, k := range keys {
			if e, err := f.workers.Get(ctx, k); err == nil {
				out[k] = e.Value()
			}
		}
		return err
	})
	return out, err
}

// Reserve takes the next time at which something that is paced may begin, for all workers together, and returns how long it
// is until then: times of one key are at least an interval apart. now is this machine's clock, so clocks of several machines
// should agree to within an interval.
func (f *Fleet) Reserve(ctx context.Context, key string, interval time.Duration, now func() time.Time) (time.Duration, error) {
	key = "pace." + Digest([]byte(key))[:32]
	var wait time.Duration
	for {
		err := again(ctx, func(ctx context.Context) error {
			e, err := f.state.Get(ctx, key)
			if errors.Is(err, jetstream.ErrKeyNotFound) {
				wait = 0
				_, err = f.state.Create(ctx, key, encodeTime(now().Add(interval)))
				return err
			}
			if err != nil {
				return err
			}
			at := now()
			next, err := decodeTime(e.Value())
			if err != nil || next.Before(at) {
				next = at
			}
			wait = next.Sub(at)
			_, err = f.state.Update(ctx, key, encodeTime(next.Add(interval)), e.Revision())
			return err
		})
		var api *jetstream.APIError
		if errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
			continue // another worker was faster
		}
		return wait, err
	}
}

func encodeTime(t time.Time) []byte { return []byte(t.UTC().Format(time.RFC3339Nano)) }

func decodeTime(b []byte) (time.Time, error) { return time.Parse(time.RFC3339Nano, string(b)) }
