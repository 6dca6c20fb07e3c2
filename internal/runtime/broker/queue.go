package broker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Message is a job to publish.
type Message struct {
	ID    string // a job published twice within some minutes under one id is queued once
	Class string // one word; a consumer for it must be there
	Data  []byte
}

// AddClass makes the consumer of a class of jobs. What the class is for travels with it, so that workers can tell whether it
// is for them; a job says so itself, and that counts.
func (f *Fleet) AddClass(ctx context.Context, class, needs string) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := f.jobs.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: class, FilterSubject: f.subject("jobs", class), AckPolicy: jetstream.AckExplicitPolicy, AckWait: f.limits.AckWait,
			MaxDeliver: -1, MaxAckPending: 10_000, Metadata: map[string]string{"needs": needs}, Replicas: f.limits.Replicas,
		})
		return err
	})
}

// A Class is a class of jobs.
type Class struct {
	Name    string
	Needs   string
	Waiting int           // jobs that nobody has
	Taken   int           // jobs that workers have
	AckWait time.Duration // silence after which a worker loses its job
}

// Classes lists the classes of jobs.
func (f *Fleet) Classes(ctx context.Context) (out []Class, err error) {
	err = again(ctx, func(ctx context.Context) error {
		out = nil
		list := f.jobs.ListConsumers(ctx)
		for info := range list.Info() {
			out = append(out, Class{info.Name, info.Config.Metadata["needs"], int(info.NumPending), info.NumAckPending, info.Config.AckWait})
		}
		return list.Err()
	})
	return out, err
}

// A Publisher publishes many jobs without waiting for each.
type Publisher struct {
	f       *Fleet
	pending []sent
}

type sent struct {
	message Message
	ack     jetstream.PubAckFuture
}

// publishAtOnce is how many jobs are on their way before their acknowledgements are looked at.
const publishAtOnce = 512

// Publisher returns a publisher for the queue.
func (f *Fleet) Publisher() *Publisher { return &Publisher{f: f} }

// Publish sends a job. Flush says whether all arrived.
func (p *Publisher) Publish(ctx context.Context, m Message) error {
	msg := nats.NewMsg(p.f.subject("jobs", m.Class))
	msg.Data = m.Data
	ack, err := p.f.client.js.PublishMsgAsync(msg, jetstream.WithMsgID(m.ID))
	if err != nil {
		ack = nil // Flush sends it again
	}
	if p.pending = append(p.pending, sent{m, ack}); len(p.pending) >= publishAtOnce {
		return p.Flush(ctx)
	}
	return nil
}

// Flush returns when every job that was sent is in the queue. Those whose acknowledgement was lost are sent again, under their
// ids; where the queue is full it waits until workers made room.
func (p *Publisher) Flush(ctx context.Context) error {
	for _, s := range p.pending {
		if s.ack != nil {
			select {
			case <-s.ack.Ok():
				continue
			case <-s.ack.Err():
			case <-time.After(callTime):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := p.f.publish(ctx, s.message); err != nil {
			return err
		}
	}
	p.pending = p.pending[:0]
	return nil
}

func (f *Fleet) publish(ctx context.Context, m Message) error {
	for {
		err := again(ctx, func(ctx context.Context) error {
			msg := nats.NewMsg(f.subject("jobs", m.Class))
			msg.Data = m.Data
			_, err := f.client.js.PublishMsg(ctx, msg, jetstream.WithMsgID(m.ID))
			return err
		})
		if !isFull(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// isFull reports whether a stream refused a message for want of room.
func isFull(err error) bool {
	return err != nil && strings.Contains(err.Error(), "maximum bytes exceeded")
}

// A Delivery is a job that this worker has until it says what became of it.
type Delivery struct {
	msg jetstream.Msg
	// Attempt is 1 for the first delivery of the job.
	Attempt int
	// Pending is how many jobs of the class wait.
	Pending int
}

// Next takes a job of a class, and waits for one up to a time. It returns nil if there was none.
func (f *Fleet) Next(ctx context.Context, class string, wait time.Duration) (*Delivery, error) {
	consumer, err := f.consumer(ctx, class)
	if err != nil {
		return nil, err
	}
	var batch jetstream.MessageBatch
	if wait == 0 {
		batch, err = consumer.FetchNoWait(1)
	} else {
		batch, err = consumer.Fetch(1, jetstream.FetchMaxWait(wait))
	}
	if err != nil {
		return nil, err
	}
	if m, ok := <-batch.Messages(); ok {
		meta, err := m.Metadata()
		if err != nil {
			return nil, fmt.Errorf("a message that is no delivery: %w", err)
		}
		return &Delivery{m, int(meta.NumDelivered), int(meta.NumPending)}, nil
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
		return nil, err
	}
	return nil, nil
}

func (f *Fleet) consumer(ctx context.Context, class string) (jetstream.Consumer, error) {
	f.consumers.Lock()
	defer f.consumers.Unlock()
	if c := f.consumers.open[class]; c != nil {
		return c, nil
	}
	c, err := f.jobs.Consumer(ctx, class)
	if err != nil {
		return nil, err
	}
	if f.consumers.open == nil {
		f.consumers.open = map[string]jetstream.Consumer{}
	}
	f.consumers.open[class] = c
	return c, nil
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
