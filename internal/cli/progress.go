package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"fencepost/internal/render/text"
	"fencepost/query"
)

const (
	quietTime    = time.Second            // shorter work shows no progress
	progressStep = 100 * time.Millisecond // between two updates
	clearLine    = "\r\x1b[K"
)

// block is some lines at the end of a terminal that are drawn again and again, and removed in the end.
type block struct {
	mu    sync.Mutex
	w     io.Writer
	width int
	start time.Time
	lines int           // that are shown
	last  time.Duration // when they were drawn
	ended bool          // nothing is drawn any more
	stop  chan struct{} // ends the clock, nil: none runs
}

// clock calls draw every second, for work that reports nothing.
func (b *block) clock(draw func(elapsed time.Duration)) {
	stop := make(chan struct{})
	b.start, b.stop = time.Now(), stop
	go func() {
		tick := time.NewTicker(quietTime)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				draw(time.Since(b.start))
			}
		}
	}()
}

// draw shows lines instead of those before, unless they are very new. The caller holds the lock.
func (b *block) draw(elapsed time.Duration, lines []string) {
	soon := b.lines > 0 && elapsed >= b.last && elapsed-b.last < progressStep
	if b.ended || elapsed < quietTime || soon {
		return
	}
	b.erase()
	for i, line := range lines {
		r := []rune(line)
		if i > 0 {
			fmt.Fprint(b.w, "\n")
		}
		fmt.Fprint(b.w, string(r[:min(len(r), max(0, b.width-1))]))
	}
	b.lines, b.last = len(lines), elapsed
}

// erase removes what is shown. The caller holds the lock.
func (b *block) erase() {
	if b.lines == 0 {
		fmt.Fprint(b.w, clearLine)
		return
	}
	fmt.Fprint(b.w, clearLine+strings.Repeat("\x1b[1A\x1b[K", b.lines-1))
	b.lines = 0
}

// clear makes room for something else, which must end its last line.
func (b *block) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lines > 0 {
		b.erase()
	}
}

// above writes something else, which must end its last line, where the lines are.
func (b *block) above(write func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lines > 0 {
		b.erase()
	}
	write()
}

// finish removes the lines; nothing is shown after.
func (b *block) finish() {
	if b.stop != nil {
		close(b.stop)
		b.stop = nil
	}
	b.clear()
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
}

// interrupted tells that Ctrl-C was heard.
func (b *block) interrupted() {
	b.clear()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		fmt.Fprintln(b.w, "interrupted, stopping; Ctrl-C again to kill")
	}
}

// progress shows the time and its limit, and a line for each engine that runs.
type progress struct {
	block
	limit   time.Duration // per model, 0: none
	model   query.Model
	since   time.Duration // when the question about the model began
	engines []query.Progress
}

// newProgress returns the lines of a question, nil without a terminal.
func newProgress(a *app, limit time.Duration) *progress {
	width, ok := a.terminal(a.stderr)
	if !ok {
		return nil
	}
	p := &progress{block: block{w: a.stderr, width: width}, limit: limit}
	p.clock(p.show)
	a.shown = &p.block
	return p
}

func (p *progress) update(now query.Progress) {
	p.mu.Lock()
	elapsed := now.Elapsed
	if !p.start.IsZero() {
		elapsed = max(elapsed, time.Since(p.start))
	}
	if now.Model != p.model {
		p.model, p.engines = now.Model, nil
		if now.Elapsed == 0 {
			p.since = elapsed
		}
	}
	i := slices.IndexFunc(p.engines, func(old query.Progress) bool { return old.Engine == now.Engine && old.Under == now.Under })
	switch {
	case i < 0:
		p.engines = append(p.engines, now)
	case now.Ended:
		p.engines[i].Ended, p.engines[i].High = true, 0
	default:
		p.engines[i] = now
	}
	p.mu.Unlock()
	p.show(elapsed)
}

func (p *progress) show(elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw(elapsed, p.text(elapsed-p.since))
}

// text returns the lines:
//
//	TSO: 5s of 1m0s [#.........]
//	  explicit  698,000 states, 140,000/s, 12,000 waiting, depth 40
//	  smc       178,000 executions, about 500,000 in all [###.......]
//	  bmc       working
func (p *progress) text(elapsed time.Duration) []string {
	head := timeText(elapsed, p.limit)
	if len(p.engines) == 0 {
		return []string{head + "  working"}
	}
	lines := []string{fmt.Sprintf("%s: %s", strings.ToUpper(string(p.model)), head)}
	width := 0
	for i := range p.engines {
		width = max(width, len(engineName(&p.engines[i])))
	}
	for i := range p.engines {
		now := &p.engines[i]
		lines = append(lines, strings.TrimRight(fmt.Sprintf("  %-*s  %s", width, engineName(now), engineText(now)), " "))
	}
	return lines
}

// engineName returns the name of an engine, with the model that it runs under if another was asked about.
func engineName(now *query.Progress) string {
	if now.Under != now.Model && now.Under != "" {
		return fmt.Sprintf("%s under %s", now.Engine, strings.ToUpper(string(now.Under)))
	}
	return string(now.Engine)
}

func engineText(now *query.Progress) string {
	state := "working"
	rate := func(n int64) string { return text.Count(int64(float64(n) / max(now.Elapsed.Seconds(), 1e-3))) }
	switch {
	case now.Executions > 0:
		state = fmt.Sprintf("%s executions, %s/s", text.Count(now.Executions), rate(now.Executions))
		if now.High > now.Executions {
			state += fmt.Sprintf(", about %s in all %s", about(now.Low, now.High), bar(float64(now.Executions)/float64(now.High)))
		}
	case now.States > 0:
		state = fmt.Sprintf("%s states, %s/s, %s waiting, depth %s", text.Count(now.States), rate(now.States), text.Count(now.Waiting), text.Count(int64(now.Depth)))
	}
	switch {
	case now.Ended && state == "working":
		return "done"
	case now.Ended:
		return "done, " + state
	default:
		return state
	}
}

// about returns a range, or one number if both ends are the same.
func about(low, high int64) string {
	if low == high {
		return text.Count(high)
	}
	return text.Count(low) + " to " + text.Count(high)
}

const barWidth = 10

// bar returns a part of the whole as a bar: [#.........].
func bar(part float64) string {
	filled := max(0, min(barWidth, int(barWidth*part)))
	return "[" + strings.Repeat("#", filled) + strings.Repeat(".", barWidth-filled) + "]"
}

// timeText returns the time, and the limit with a bar: 5s of 1m0s [#.........].
func timeText(elapsed, limit time.Duration) string {
	if limit <= 0 {
		return elapsed.Truncate(time.Second).String()
	}
	return fmt.Sprintf("%s of %s %s", elapsed.Truncate(time.Second), limit, bar(float64(elapsed)/float64(limit)))
}

// testsLine is a line that says how many programs of many are done.
type testsLine struct {
	block
	what        string // the programs: tests, programs
	limit       time.Duration
	done, total int
}

func (l *testsLine) update(done, total int) {
	l.mu.Lock()
	l.done, l.total = done, total
	l.mu.Unlock()
	l.show(time.Since(l.start))
}

func (l *testsLine) show(elapsed time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total > 0 && l.done == l.total {
		return
	}
	l.draw(elapsed, []string{l.text(elapsed)})
}

// text returns the line: 12 of 84 tests [#.........] 3/s, 5s, about 20s left, limit 1m0s each.
func (l *testsLine) text(elapsed time.Duration) string {
	line := elapsed.Truncate(time.Second).String() + "  working"
	if l.total > 0 {
		line = fmt.Sprintf("%s of %s %s %s %s", text.Count(int64(l.done)), text.Count(int64(l.total)), l.what,
			bar(float64(l.done)/float64(l.total)), elapsed.Truncate(time.Second))
	}
	if l.done > 0 {
		left := time.Duration(float64(elapsed) / float64(l.done) * float64(l.total-l.done))
		line += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	if l.limit > 0 {
		line += fmt.Sprintf(", limit %s each", l.limit)
	}
	return line
}

// withLine shows how many of many tests are done, on a line that makes room for what done prints. Without a
// terminal there is none: tested is nil.
func withLine[T any](a *app, what string, limit time.Duration, done func(T)) (tested func(done, total int), cleared func(T), finish func()) {
	width, ok := a.terminal(a.stderr)
	if !ok {
		return nil, done, func() {}
	}
	line := &testsLine{block: block{w: a.stderr, width: width}, what: what, limit: limit}
	line.clock(line.show)
	a.shown = &line.block
	return line.update, func(t T) { line.clear(); done(t) }, line.finish
}

// say writes lines to standard error that stay there, above the progress.
func (a *app) say(lines []string) {
	write := func() {
		for _, line := range lines {
			fmt.Fprintln(a.stderr, text.Printable(line))
		}
	}
	if a.shown == nil {
		write()
		return
	}
	a.shown.above(write)
}

// aboveProgress writes whole lines to standard output, and removes the lines of progress before: both may be the
// same terminal.
type aboveProgress struct {
	a    *app
	w    io.Writer
	rest []byte // of the last line

	failed error // the first error in writing
}

func (p *aboveProgress) Write(text []byte) (int, error) {
	if p.a.shown == nil {
		return p.write(text)
	}
	p.rest = append(p.rest, text...)
	end := bytes.LastIndexByte(p.rest, '\n') + 1
	if end == 0 {
		return len(text), nil
	}
	p.a.shown.clear()
	if _, err := p.write(p.rest[:end]); err != nil {
		return 0, err
	}
	p.rest = append(p.rest[:0], p.rest[end:]...)
	return len(text), nil
}

// write writes, and keeps the first error.
func (p *aboveProgress) write(text []byte) (int, error) {
	n, err := p.w.Write(text)
	if err != nil && p.failed == nil {
		p.failed = err
	}
	return n, err
}

// close writes what is left.
func (p *aboveProgress) close() error {
	_, err := p.write(p.rest)
	p.rest = nil
	return err
}
