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

// progress keeps one line on a terminal up to date.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	width int
	last  fencepost.Progress
	shown bool
	done  bool
}

func (p *progress) update(now fencepost.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	soon := p.shown && now.Model == p.last.Model && now.Elapsed-p.last.Elapsed < progressStep
	if p.done || now.Elapsed < quietTime || soon {
		return
	}
	p.last, p.shown = now, true
	line := []rune(progressLine(now))
	if len(line) >= p.width {
		line = line[:max(0, p.width-1)]
	}
	fmt.Fprint(p.w, clearLine+string(line))
}

func progressLine(now fencepost.Progress) string {
	if now.Executions > 0 {
		return fmt.Sprintf("%s: %s executions, %s/s, about %s to %s in all, depth %s, %s", strings.ToUpper(string(now.Model)),
			text.Count(now.Executions), text.Count(int64(float64(now.Executions)/now.Elapsed.Seconds())), text.Count(now.Low), text.Count(now.High),
			text.Count(int64(now.Depth)), now.Elapsed.Truncate(time.Second))
	}
	rate := int64(float64(now.States) / now.Elapsed.Seconds())
	return fmt.Sprintf("%s: %s states, %s/s, %s waiting, depth %s, %s", strings.ToUpper(string(now.Model)),
		text.Count(now.States), text.Count(rate), text.Count(now.Waiting), text.Count(int64(now.Depth)),
		now.Elapsed.Truncate(time.Second))
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
