package broker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Record writes what became of a job, and reports whether it did: an entry that is there stays unless replaces says that it
// is worth nothing.
func (f *Fleet) Record(ctx context.Context, job string, entry []byte, replaces func(there []byte) bool) (written bool, err error) {
	err = swap(ctx, f.index, job, func(there []byte) []byte {
		if written = there == nil || replaces(there); written {
			return entry
		}
		return nil
	})
	return written && err == nil, err
}

// Entry returns what became of a job, nil if there is nothing.
func (f *Fleet) Entry(ctx context.Context, job string) (entry []byte, err error) {
	return value(ctx, f.index, job)
}

// Forget removes what became of a job, so that it can be tried again.
func (f *Fleet) Forget(ctx context.Context, job string) error {
	return again(ctx, func(ctx context.Context) error { return f.index.Delete(ctx, job) })
}

// Watch calls each with what became of every job, and with everything that is recorded from then on, until ctx ends. all is
// called once when what was there is through.
func (f *Fleet) Watch(ctx context.Context, each func(job string, entry []byte), all func()) error {
	var w jetstream.KeyWatcher
	if err := again(ctx, func(context.Context) (err error) { // the watch lasts as long as ctx, not as long as the call
		w, err = f.index.WatchAll(ctx, jetstream.IgnoreDeletes())
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

// value returns the value of a key, nil if it has none.
func value(ctx context.Context, kv jetstream.KeyValue, key string) (out []byte, err error) {
	err = again(ctx, func(ctx context.Context) error {
		e, err := kv.Get(ctx, key)
		if err == nil {
			out = e.Value()
		}
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	return out, err
}

// swap replaces the value of a key, nil for none, by what next makes of it; nil leaves it. Where somebody else was faster,
// next is asked again.
func swap(ctx context.Context, kv jetstream.KeyValue, key string, next func(there []byte) []byte) error {
	for {
		err := again(ctx, func(ctx context.Context) error {
			e, err := kv.Get(ctx, key)
			switch {
			case errors.Is(err, jetstream.ErrKeyNotFound):
				_, err = kv.Create(ctx, key, next(nil))
			case err == nil:
				if v := next(e.Value()); v != nil {
					_, err = kv.Update(ctx, key, v, e.Revision())
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

// Digest names content.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// PutFile stores content under its digest, which it returns.
func (f *Fleet) PutFile(ctx context.Context, content []byte) (digest string, err error) {
	digest = Digest(content)
	return digest, again(ctx, func(ctx context.Context) error {
		_, err := f.files.Put(ctx, jetstream.ObjectMeta{Name: digest}, bytes.NewReader(content))
		return err
	})
}

// File returns the content with a digest, whatever the store says that it is, of at most a size.
func (f *Fleet) File(ctx context.Context, digest string, most int) ([]byte, error) {
	var content []byte
	err := again(ctx, func(ctx context.Context) error {
		o, err := f.files.Get(ctx, digest)
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

// PutState keeps a word of the state that the owner of a plan and workers share; State returns it, nil for nothing.
func (f *Fleet) PutState(ctx context.Context, key string, text []byte) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := f.state.Put(ctx, key, text)
		return err
	})
}

// State returns what PutState kept last under a key, nil for nothing.
func (f *Fleet) State(ctx context.Context, key string) ([]byte, error) {
	return value(ctx, f.state, key)
}

// DropState forgets what PutState kept under a key.
func (f *Fleet) DropState(ctx context.Context, key string) error { return f.state.Delete(ctx, key) }

// States returns what is kept under keys that match a pattern of NATS, such as "worker.*".
func (f *Fleet) States(ctx context.Context, pattern string) (out [][]byte, err error) {
	err = again(ctx, func(ctx context.Context) error {
		out = nil
		w, err := f.state.Watch(ctx, pattern, jetstream.IgnoreDeletes())
		if err != nil {
			return err
		}
		defer w.Stop() //nolint:errcheck // there is nothing to be done about it
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case e := <-w.Updates():
				if e == nil { // everything is through
					return nil
				}
				out = append(out, e.Value())
			}
		}
	})
	return out, err
}

// Reserve takes the next time at which something that is paced may begin, for all workers together, and returns how long it
// is until then: times of one key are at least an interval apart. now is this machine's clock, so clocks of several machines
// should agree to within an interval.
func (f *Fleet) Reserve(ctx context.Context, key string, interval time.Duration, now func() time.Time) (wait time.Duration, err error) {
	err = swap(ctx, f.state, "pace."+Digest([]byte(key))[:32], func(there []byte) []byte {
		at := now()
		next, err := time.Parse(time.RFC3339Nano, string(there))
		if err != nil || next.Before(at) {
			next = at
		}
		wait = next.Sub(at)
		return []byte(next.Add(interval).UTC().Format(time.RFC3339Nano))
	})
	return wait, err
}
