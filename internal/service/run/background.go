package run

import (
	"context"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/demo"
	"recoup/internal/service/verify"
	"recoup/internal/service/webhook"
	"recoup/internal/store/pebble"
	"recoup/reward"
)

// collectEvery is how old a notice may be before it can be fetched.
const collectEvery = 500 * time.Millisecond

// start starts what works in the background.
func (s *service) start(ctx context.Context) {
	ctx, s.stop = context.WithCancel(engine.By(ctx, engine.System))
	s.every(ctx, time.Second, "learning of new program versions", s.store.Programs().Refresh)
	s.every(ctx, time.Second, "learning of new exemptions", s.exempt.Refresh)
	s.every(ctx, time.Second, "looking at the clock", s.clock.Look)
	s.every(ctx, 10*time.Second, "closing cycles", func(ctx context.Context) error {
		if s.clock.Doubted() != nil {
			return nil
		}
		closed, err := s.engine.CloseDue(ctx, reward.At(time.Now().Add(-s.options.CloseAfter)), s.store.Due)
		if closed > 0 {
			s.log.Info("cycles closed", "count", closed)
		}
		return err
	})
	s.every(ctx, time.Second, "telling of what has ended", s.tellEnded())
	s.every(ctx, collectEvery, "collecting notices for those who fetch them", s.feed.Collect)
	s.every(ctx, 5*time.Second, "sealing the log", verify.NewLaneSealers(s.db).Seal)
	if s.options.Sources != "" {
		s.every(ctx, time.Second, "taking webhooks again", s.sources.TakeDue)
		s.every(ctx, time.Hour, "forgetting old webhooks", func(ctx context.Context) error {
			return s.sources.Expire(ctx, time.Now().Add(-s.options.KeepRaw))
		})
	}
	if keeper := &s.options.Checkpoints; keeper.To != "" {
		s.every(ctx, s.options.CheckpointEvery, "keeping a checkpoint", func(ctx context.Context) error { return keeper.Next(ctx, s.db) })
	}
	s.every(ctx, time.Minute, "closing what was decided", func(ctx context.Context) error {
		_, err := s.proposals.Finish(ctx)
		return err
	})
	s.every(ctx, time.Minute, "noting which keys were used", s.keys.NoteUses)
	if s.options.Demo {
		s.every(ctx, time.Minute, "making up events", func(ctx context.Context) error {
			return demo.Live(ctx, s.applier.Apply, time.Now)
		})
	}
	s.background.Go(func() {
		webhook.Dispatch(ctx, s.outbox, webhook.Options{Alone: s.options.Database.InFolder(), AllowPrivate: s.options.WebhookAllowPrivate, Brokers: s.brokers, Log: s.log})
	})
	for _, lane := range s.db.Lanes() {
		if folder, is := lane.(*pebble.DB); is {
			s.letOthersIn(ctx, folder)
		}
	}
	s.background.Go(func() { s.metrics.Watch(ctx, time.Minute, s.figures, s.log) })
}

// letOthersIn lets other commands look at a folder beside the service. They are let in by
// the time that the service says it listens.
func (s *service) letOthersIn(ctx context.Context, folder *pebble.DB) {
	failed := func(err error) { s.log.Error("other commands cannot look at the folder", "error", err) }
	door, err := folder.Listen()
	if err != nil {
		failed(err)
		return
	}
	s.background.Go(func() {
		if err := door.Serve(ctx); err != nil {
			failed(err)
		}
	})
}

// tellEnded returns what tells of rewards that have matured and holds that have ended. What
// is to end of accounts from a time when that was not kept is written down first.
func (s *service) tellEnded() func(context.Context) error {
	written := false
	return func(ctx context.Context) error {
		if !written {
			if err := s.store.WriteEndings(ctx); err != nil {
				return err
			}
			written = true
		}
		_, err := s.store.TellEnded(ctx)
		return err
	}
}

// every does something now and again, until the context ends. A failure is
// logged, and it is done again all the same.
func (s *service) every(ctx context.Context, pause time.Duration, what string, do func(context.Context) error) {
	s.background.Go(func() {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			if err := do(ctx); err != nil && ctx.Err() == nil {
				s.log.Error(what+" failed and will be tried again", "error", err)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
}
