package asker

import (
	"fmt"
	"sync"
	"time"

	"fencepost/internal/render/text"
)

// report tells the user every few seconds what the asker waits for.
type report struct {
	say   func(string)
	brief bool // progress is shown elsewhere: only failures are told
	stop  chan struct{}
	done  sync.WaitGroup

	mu      sync.Mutex
	start   time.Time
	doing   string // what is going on
	wrong   string // what is wrong; "": nothing
	since   time.Time
	told    string // the last failure that was told
	missing string // why no worker works; "": there are workers
}

// every is how often a report is made. The user is promised one in 10 s.
const every = 8 * time.Second

// newReport begins to report, with a function that prints a line; nil: nothing is printed.
func newReport(say func(string), brief bool) *report {
	r := &report{say: say, brief: brief, stop: make(chan struct{}), start: time.Now(), doing: "reading the program"}
	if say == nil {
		return r
	}
	r.done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-r.stop:
				return
			case <-tick.C:
				r.tell()
			}
		}
	})
	return r
}

func (r *report) end() {
	close(r.stop)
	r.done.Wait()
}

// tell prints what the asker waits for.
func (r *report) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.brief && r.wrong == "" && r.missing == "" {
		return
	}
	r.told = r.wrong
	r.say(fmt.Sprintf("%v: %s", time.Since(r.start).Round(time.Second), r.text()))
}

// text says what the asker waits for. The caller holds the lock.
func (r *report) text() string {
	switch {
	case r.wrong != "":
		return fmt.Sprintf("waiting for %v: %s", time.Since(r.since).Round(time.Second), r.wrong)
	case r.missing != "":
		return r.missing
	default:
		return r.doing
	}
}

// state says what the asker waits for.
func (r *report) state() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text()
}

// now says what is going on.
func (r *report) now(what string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.doing = what
}

// trouble says what is wrong. A new failure is told at once.
func (r *report) trouble(what string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	if r.wrong == "" {
		r.since = time.Now()
	}
	r.wrong = what
	tell := r.say != nil && r.told == ""
	r.mu.Unlock()
	if tell {
		r.tell()
	}
}

// fine says that the server answers and stores.
func (r *report) fine() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told != "" && r.say != nil {
		r.say(fmt.Sprintf("%v: going on", time.Since(r.start).Round(time.Second)))
	}
	r.wrong, r.told = "", ""
}

// workers says how many workers there are, of this version and of others. That there are none is told at once.
func (r *report) workers(ours, others int, server string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.missing
	switch {
	case ours > 0:
		r.missing = ""
	case others > 0:
		r.missing = fmt.Sprintf("no worker has this version of fencepost-cluster, and %d have another: start some of this version", others)
	default:
		r.missing = fmt.Sprintf("there is no worker: start one with `fencepost-cluster worker --join %s --token-file FILE`", server)
	}
	if before == "" && r.missing != "" && r.say != nil {
		r.say(fmt.Sprintf("%v: %s", time.Since(r.start).Round(time.Second), r.missing))
	}
}

// progress says how far the check is.
func (r *report) progress(executions int64, open int, least int64) {
	if r == nil {
		return
	}
	r.now(fmt.Sprintf("%s executions of at least %s, %s tasks left", text.Count(executions), text.Count(least), text.Count(int64(open))))
}
