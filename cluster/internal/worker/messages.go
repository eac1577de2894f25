package worker

import (
	"time"

	"fencepost/cluster/internal/store"
)

// sayAgain is how long the same message is not repeated.
const sayAgain = 8 * time.Second

// say prints what is wrong, but the same message not too often. It is repeated until it is over: a worker that
// waits says what for.
func (w *Worker) say(err error) {
	if err == nil || w.ctx.Err() != nil {
		return
	}
	text := store.Message(err)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong, w.wrongAt = text, time.Now()
	if time.Since(w.said[text]) < sayAgain {
		return
	}
	if len(w.said) > 100 {
		clear(w.said)
	}
	w.said[text] = time.Now()
	w.Log.Printf("trying again: %s", text)
}

// trouble returns what was wrong lately, for other participants.
func (w *Worker) trouble() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.wrongAt) > 2*heartbeat {
		return ""
	}
	return w.wrong
}
