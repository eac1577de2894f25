package cunit

import (
	"context"
	"fmt"
	"time"

	"modernc.org/cc/v4"

	"fencepost/internal/source"
)

// Stopping. The parser knows no time limit and no interruption, so it runs on a
// goroutine of its own and is left behind when either comes. What it reads and reports
// meanwhile is kept apart (reader) until it is done: a parser left behind touches
// nothing that anybody looks at, and ends when it next opens a file.

// stopped says why there is no use in going on, or "".
func (c *compiler) stopped() string {
	if ctx := c.opt.Context; ctx != nil && ctx.Err() != nil {
		if ctx.Err() == context.DeadlineExceeded {
			return "the time limit"
		}
		return "an interruption"
	}
	if !c.deadline.IsZero() && !time.Now().Before(c.deadline) {
		return "the time limit"
	}
	return ""
}

// reportStop says that the translation was ended from outside.
func (c *compiler) reportStop(why string) {
	at := source.At(source.Pos{File: c.first, Line: 1, Col: 1})
	c.errorf(codeStopped, at, "%s ended the reading of the program", why).
		Note("a larger --timeout gives it more time; a macro or a header that expands without end needs mending")
}

// translated is what the parser came to.
type translated struct {
	ast *cc.AST
	err error
}

// translate is cc.Translate, but for its ends: cc gives up on some broken input with
// a panic, and it is left behind when time is up. ok is false in that case, with the
// diagnostic made.
func (c *compiler) translate(config *cc.Config, r *reader, sources []cc.Source) (out translated, ok bool) {
	if why := c.stopped(); why != "" {
		c.reportStop(why)
		return out, false
	}
	done := make(chan translated, 1)
	go func() {
		var t translated
		defer func() {
			if r := recover(); r != nil {
				t = translated{err: fmt.Errorf("the C parser gives up: %v", r)}
			}
			done <- t
		}()
		t.ast, t.err = cc.Translate(config, sources)
	}()
	var interrupted <-chan struct{}
	if c.opt.Context != nil {
		interrupted = c.opt.Context.Done()
	}
	var timeUp <-chan time.Time
	if !c.deadline.IsZero() {
		timer := time.NewTimer(time.Until(c.deadline))
		defer timer.Stop()
		timeUp = timer.C
	}
	select {
	case out = <-done:
		c.adopt(r)
		return out, true
	case <-interrupted:
	case <-timeUp:
	}
	r.stop.Store(true)
	c.reportStop(c.stopped())
	return out, false
}
