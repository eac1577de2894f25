package worker

import (
	"context"
	"time"

	"fencepost/cluster/internal/store"
)

// announce says now and then that the worker is there.
func (w *Worker) announce(ctx context.Context) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		me := w.Me
		me.Tasks, me.Executions = w.tasks.Load(), w.executions.Load()
		w.beat(ctx, &me)
		select {
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			// Where this fails the entry vanishes by itself.
			_ = w.Store.Leave(ctx, me.ID)
			return
		case <-beat.C:
		}
	}
}

// beat says that the worker is there, and reads what is new. No question may take longer than until the next beat.
func (w *Worker) beat(ctx context.Context, me *store.Worker) {
	ctx, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	me.Trouble = w.trouble()
	err := w.Store.Announce(ctx, me)
	if store.KindOf(err) == store.Lost && err != nil {
		err = w.Store.Repair(ctx)
	}
	if err == nil {
		err = w.count(ctx)
	}
	if err == nil {
		err = w.refresh(ctx)
	}
	w.say(err)
}

// count counts the slots of all workers that are there.
func (w *Worker) count(ctx context.Context) error {
	all, now, err := w.Store.Workers(ctx)
	if err != nil {
		return err
	}
	slots := 0
	for _, other := range all {
		if now.Sub(other.Seen) < store.Silence {
			slots += other.Slots
		}
	}
	w.slots.Store(int64(slots))
	return nil
}
