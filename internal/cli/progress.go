package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"fencepost"
	"fencepost/internal/render/text"
)

const (
	quietTime    = time.Second            // shorter work shows no progress
	progressStep = 100 * time.Millisecond // between two updates
	clearLine    = "\r\x1b[K"
)

// progress keeps one line on a terminal up to date: the time and its limit, and the newest
// report of each kind of search under each model, since several engines run at the same time.
type progress struct {
	mu     sync.Mutex
	w      io.Writer
	width  int
	limit  time.Duration // 0: none
	states fencepost.Progress
	runs   fencepost.Progress // of executions
	shown  bool
	done   bool
	before time.Duration // of the last line
	stop   chan struct{} // ends the clock
}

// clock shows the time where no engine reports anything.
func (p *progress) clock(start time.Time) {
	p.stop = make(chan struct{})
	go func() {
		tick := time.NewTicker(quietTime)
		defer tick.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-tick.C:
				p.show(time.Since(start))
			}
		}
	}()
}

func (p *progress) update(now fencepost.Progress) {
	p.mu.Lock()
	if now.Executions > 0 {
		p.runs = now
	} else {
		p.states = now
	}
	p.mu.Unlock()
	p.show(now.Elapsed)
}

// show writes the line, unless the last one is very new.
func (p *progress) show(elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	soon := p.shown && elapsed >= p.before && elapsed-p.before < progressStep
	if p.done || elapsed < quietTime || soon {
		return
	}
	p.shown, p.before = true, elapsed
	line := []rune(p.line(elapsed))
	if len(line) >= p.width {
		line = line[:max(0, p.width-1)]
	}
	fmt.Fprint(p.w, clearLine+string(line))
}

// line returns the text: 5s of 60s [#.........]  TSO: 698,000 states, 140,000/s | SC: 178,000 executions, about 500,000 in all.
func (p *progress) line(elapsed time.Duration) string {
	parts := []string{}
	if now := p.states; now.States > 0 {
		rate := int64(float64(now.States) / max(now.Elapsed.Seconds(), 1e-3))
		parts = append(parts, fmt.Sprintf("%s: %s states, %s/s, %s waiting, depth %s", strings.ToUpper(string(now.Model)),
			text.Count(now.States), text.Count(rate), text.Count(now.Waiting), text.Count(int64(now.Depth))))
	}
	if now := p.runs; now.Executions > 0 {
		part := fmt.Sprintf("%s: %s executions", strings.ToUpper(string(now.Model)), text.Count(now.Executions))
		if now.High > 0 {
			part += fmt.Sprintf(", about %s to %s in all", text.Count(now.Low), text.Count(now.High))
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		parts = append(parts, "working")
	}
	return timeText(elapsed, p.limit) + "  " + strings.Join(parts, " | ")
}

const barWidth = 10

// timeText returns the time, and the limit with a bar: 5s of 1m0s [#.........].
func timeText(elapsed, limit time.Duration) string {
	if limit <= 0 {
		return elapsed.Truncate(time.Second).String()
	}
	filled := min(barWidth, int(barWidth*elapsed/limit))
	return fmt.Sprintf("%s of %s [%s%s]", elapsed.Truncate(time.Second), limit, strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled))
}

// interrupted tells that Ctrl-C was heard.
func (p *progress) interrupted() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	p.clear()
	fmt.Fprintln(p.w, "interrupted, stopping; Ctrl-C again to kill")
}

// finish removes the line; nothing is shown after.
func (p *progress) finish() {
	if p.stop != nil {
		close(p.stop)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.done = true
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, clearLine)
		p.shown = false
	}
}

// testsLine keeps a line on a terminal up to date: how many tests are done.
type testsLine struct {
	mu    sync.Mutex
	w     io.Writer
	width int
	start time.Time
	last  time.Time
	shown bool
}

func (l *testsLine) update(done, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Sub(l.start) < quietTime || now.Sub(l.last) < progressStep || done == total {
		return
	}
	l.last, l.shown = now, true
	line := testsText(done, total, now.Sub(l.start))
	fmt.Fprint(l.w, clearLine+line[:min(len(line), max(0, l.width-1))])
}

func testsText(done, total int, elapsed time.Duration) string {
	left := time.Duration(float64(elapsed) / float64(done) * float64(total-done))
	return fmt.Sprintf("%s of %s tests, %s/s, %s, about %s left", text.Count(int64(done)), text.Count(int64(total)),
		text.Count(int64(float64(done)/elapsed.Seconds())), elapsed.Truncate(time.Second), left.Round(time.Second))
}

func (l *testsLine) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		fmt.Fprint(l.w, clearLine)
		l.shown = false
	}
}

// withLine shows how many of many tests are done, on a line that makes room for
// what done prints. Without a terminal there is none: tested is nil.
func withLine[T any](a *app, done func(T)) (tested func(done, total int), cleared func(T), clear func()) {
	width, ok := a.terminal(a.stderr)
	if !ok {
		return nil, done, nil
	}
	line := &testsLine{w: a.stderr, width: width, start: time.Now()}
	return line.update, func(t T) { line.clear(); done(t) }, line.clear
}
