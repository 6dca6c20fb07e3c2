package broker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// AddClass makes the consumer of a class of jobs, one word. What the class needs of a worker travels with it, so that workers
// can tell whether it is for them; a job says so itself, and that counts.
func (f *Fleet) AddClass(ctx context.Context, class, needs string) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := f.jobs.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: class, FilterSubject: f.subject(class), AckPolicy: jetstream.AckExplicitPolicy, AckWait: f.limits.AckWait,
			MaxDeliver: -1, MaxAckPending: 10_000, Metadata: map[string]string{"needs": needs}, Replicas: f.limits.Replicas,
		})
		return err
	})
}

// A Class is a class of jobs.
type Class struct {
	Name    string
	Needs   string
	Waiting int // jobs that nobody has
	Taken   int // jobs that workers have
}

// Classes lists the classes of jobs.
func (f *Fleet) Classes(ctx context.Context) (out []Class, err error) {
	err = again(ctx, func(ctx context.Context) error {
		out = nil
		list := f.jobs.ListConsumers(ctx)
		for info := range list.Info() {
			out = append(out, Class{info.Name, info.Config.Metadata["needs"], int(info.NumPending), info.NumAckPending})
		}
		return list.Err()
	})
	return out, err
}

// A Message is a job of a class that AddClass was called for.
type Message struct {
	Class string
	Data  []byte
}

// publishAtOnce is how many jobs are on their way to the queue at a time.
const publishAtOnce = 128

// Publish queues jobs until the channel is closed. It takes all of them, also those after an error. A job whose
// acknowledgement is lost may be queued twice.
func (f *Fleet) Publish(ctx context.Context, jobs <-chan Message) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for range publishAtOnce {
		all.Go(func() { // ends when jobs is closed
			for m := range jobs {
				if err := f.publish(ctx, m); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// publish queues one job. Where the queue is full it waits until workers made room.
func (f *Fleet) publish(ctx context.Context, m Message) error {
	for {
		err := again(ctx, func(ctx context.Context) error {
			_, err := f.client.js.Publish(ctx, f.subject(m.Class), m.Data)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "maximum bytes exceeded") {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// A Delivery is a job that this worker has until it says what became of it.
type Delivery struct {
	msg jetstream.Msg
	// Attempt is 1 for the first delivery of the job.
	Attempt int
}

// Next takes a job of a class, and waits for one up to a time. It returns nil if there was none.
func (f *Fleet) Next(ctx context.Context, class string, wait time.Duration) (*Delivery, error) {
	consumer, ok := f.consumers.Load(class)
	if !ok {
		c, err := f.jobs.Consumer(ctx, class)
		if err != nil {
			return nil, err
		}
		consumer, _ = f.consumers.LoadOrStore(class, c)
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

// Data is the message, which a stranger may have written.
func (d *Delivery) Data() []byte { return d.msg.Data() }

// Working tells that the job is still being done.
func (d *Delivery) Working() error { return d.msg.InProgress() }

// Done takes the job off the queue, and waits until the server says so.
func (d *Delivery) Done(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return d.msg.DoubleAck(ctx)
}

// Again puts the job back, to be delivered after a while.
func (d *Delivery) Again(after time.Duration) error { return d.msg.NakWithDelay(after) }

// Drop takes the job off the queue for good: nobody is to have it.
func (d *Delivery) Drop(reason string) error { return d.msg.TermWithReason(reason) }

// PurgeJobs empties the queue.
func (f *Fleet) PurgeJobs(ctx context.Context) error {
	return again(ctx, func(ctx context.Context) error { return f.jobs.Purge(ctx) })
}

// Queued is how many jobs the queue holds, those that workers have included, and its bytes on disk.
func (f *Fleet) Queued(ctx context.Context) (jobs int, size int64, err error) {
	err = again(ctx, func(ctx context.Context) error {
		info, err := f.jobs.Info(ctx)
		if err == nil {
			jobs, size = int(info.State.Msgs), int64(info.State.Bytes)
		}
		return err
	})
	return jobs, size, err
}
