package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed530093c6/ddb"
)

// welcome sends each new customer with an address one message.
type welcome struct {
	*schema
	out outbox
	// at is told before each step that a kill can keep from being done.
	at func(step string)

	changes, messages int // handled since the start
}

// handlers returns the handlers of the table's changes. Customers that are changed
// or removed have none.
func (w *welcome) handlers() *ddb.Changes {
	changes := ddb.NewChanges(w.table)
	ddb.On(changes, w.customers, func(context.Context, ddb.Change[Customer]) error {
		w.changes++
		return nil
	})
	ddb.OnInsert(changes, w.customers, w.greet)
	return changes
}

// greet makes the message of an event, once, and sees to it that it is sent. A
// record that comes again finds the message, and sends it if that was not done.
func (w *welcome) greet(ctx context.Context, c ddb.Change[Customer]) error {
	if c.New.Email == "" {
		return nil
	}
	m := Message{
		EventID: c.EventID, To: c.New.Email, Text: "Welcome, " + c.New.Name + "!", Expires: c.Time.Add(kept),
	}
	w.at("claim")
	if _, err := ddb.Once(ctx, w.schema.messages, &m, w.totals.Upsert(Total{}).Set(w.count.Add(1))); err != nil {
		return err
	}
	m, err := w.schema.messages.Get(m).Consistent().Run(ctx)
	if err != nil || m.Sent {
		return err
	}
	w.at("send")
	isNew, err := w.out.send(m)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if isNew {
		w.messages++
	}
	w.at("mark")
	_, err = w.schema.messages.Update(m).Set(w.sent.To(true)).Run(ctx)
	return err
}

// Load returns the positions that are kept in the table; see [ddb.Checkpoints].
func (s *schema) Load(ctx context.Context, stream string) ([]ddb.Checkpoint, error) {
	var all []ddb.Checkpoint
	for p, err := range s.positions.Query(Position{Stream: stream}).Consistent().All(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, ddb.Checkpoint{Shard: p.Shard, SequenceNumber: p.SequenceNumber, Done: p.Done})
	}
	return all, nil
}

// Save keeps a position in the table; see [ddb.Checkpoints].
func (s *schema) Save(ctx context.Context, stream string, c ddb.Checkpoint) error {
	return s.positions.Put(&Position{
		Stream: stream, Shard: c.Shard, SequenceNumber: c.SequenceNumber, Done: c.Done, Expires: s.clock().Add(kept),
	}).Run(ctx)
}

// writeSample puts customers of all sorts into the table, unless they are there.
func (s *schema) writeSample(ctx context.Context) error {
	for _, c := range []Customer{
		{ID: "1", Name: "Ann", Email: "ann@example.com"},
		{ID: "2", Name: "Bob"},
		{ID: "3", Name: "张三", Email: "zhang@example.com"},
	} {
		if err := s.customers.Create(&c).Run(ctx); err != nil {
			if errors.Is(err, ddb.ErrExists) {
				return nil // from an earlier run
			}
			return err
		}
	}
	if _, err := s.customers.Update(Customer{ID: "1"}).Set(s.email.To("ann@example.org")).Run(ctx); err != nil {
		return err
	}
	if _, err := s.customers.Update(Customer{ID: "2"}).Set(s.email.To("bob@example.com")).Run(ctx); err != nil {
		return err
	}
	return s.customers.Delete(Customer{ID: "3"}).Run(ctx)
}
