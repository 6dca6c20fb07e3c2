package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nats.go/jetstream"
)

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
