package explicit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/search"
)

// ErrStored says that bytes are not a stored search.
var ErrStored = search.ErrStored

// Search is a run of the engine that can be interrupted, stored and continued. It is not for fair endless executions,
// which are another search.
type Search struct {
	task    *engine.Task
	private bool // memory is treated as thread-private where it is
	sys     *system
	in      *search.Interner // nil: states are stored whole
	workers []*worker
	guide   *guide // nil: states are not ranked
	states  *search.Search
	res     *search.Result // of the last run, nil: none
	seconds float64
}

// NewSearch returns a search that has not begun. The error says why the engine does not support the task.
func NewSearch(task *engine.Task) (*Search, error) { return newSearch(task, false) }

// newSearch returns a search in one of the two orders. With goalsFirst it cannot be stored.
func newSearch(task *engine.Task, goalsFirst bool) (*Search, error) {
	if err := supports(task); err != nil {
		return nil, err
	}
	if engine.StopsInside(task.Program) || task.Model != memory.SC && engine.HasGlobalFence(task.Program) {
		// A thread that stops inside a section stops the others for good: a step into a section is
		// then not independent of anything, and eager accesses would already have happened. A global fence
		// waits for stores that an eager step has put into a buffer.
		plain := *task
		plain.NoReduction = true
		task = &plain
	}
	x := &Search{task: task}
	if goalsFirst {
		x.guide = newGuide(task)
	}
	x.begin(!task.NoReduction)
	return x, nil
}

// begin sets up a search from the initial states.
func (x *Search) begin(private bool) {
	x.beginAs(private, compile(x.task, private, nil))
}

// beginAs sets up a search of a system.
func (x *Search) beginAs(private bool, sys *system) {
	x.private, x.sys, x.workers, x.res, x.in = private, sys, nil, nil, nil
	used := new(atomic.Int64)
	if worthInterning(x.sys) {
		x.in = search.NewInterner(used)
	}
	problem := x.task.SearchProblem(time.Now(), func() search.Worker {
		w := newWorker(x.task, x.sys, x.in)
		w.guide = x.guide
		x.workers = append(x.workers, w)
		return w
	})
	problem.Used, problem.Ranked = used, x.guide != nil
	if sleeps(x.task) {
		problem.Sleeps = sleepBits(len(x.task.Program.Threads))
	}
	x.states = search.New(problem)
}

// Explore searches until the search is over or a limit is reached.
func (x *Search) Explore(ctx context.Context) {
	start := time.Now()
	x.res = x.states.Run(ctx)
	if x.private && slices.ContainsFunc(x.workers, func(w *worker) bool { return w.s.Err == memory.ErrStray }) {
		// An access left its object: no memory can be treated as thread-private.
		x.begin(false)
		x.res = x.states.Run(ctx)
	}
	x.seconds += time.Since(start).Seconds()
}

// expecting searches again where only the bound of buffers was met, and memory would be thread-private if it were not for
// edges that did not run, such as the functions that a call through a pointer might reach. It expects that these never
// run. It returns nil if that is no better: the bound is met again, or an access comes that was not expected.
func (x *Search) expecting(ctx context.Context) *Search {
	full := func(w *worker) bool { return slices.Contains(w.s.Blocked, true) }
	if x.res.Stop != search.Complete || !x.private || len(x.res.Findings) > 0 || !slices.ContainsFunc(x.workers, full) {
		return nil
	}
	ran := covered(x.task, x.sys.mem, x.workers)
	sys := compile(x.task, true, func(e ir.EdgeID) bool { return ran[e] })
	newly := func(e *ir.Edge) bool { return sys.mem.PrivateAccess(e) && !x.sys.mem.PrivateAccess(e) }
	if !slices.ContainsFunc(sys.mem.Edges(), newly) {
		return nil
	}
	more := &Search{task: x.task, guide: x.guide, seconds: x.seconds}
	more.beginAs(true, sys)
	start := time.Now()
	more.res = more.states.Run(ctx)
	more.seconds += time.Since(start).Seconds()
	unexpected := func(w *worker) bool { return w.s.Err == memory.ErrStray || full(w) }
	if more.res.Stop != search.Complete && more.res.Stop != search.Found || slices.ContainsFunc(more.workers, unexpected) {
		return nil
	}
	return more
}

// Over reports whether there is nothing left to search: every state was expanded, a violation ends the search, or a
// successor cannot be computed.
func (x *Search) Over() bool {
	return x.res != nil && (x.res.Stop == search.Complete || x.res.Stop == search.Found || x.Failed())
}

// Failed reports whether a successor cannot be computed. Such a search cannot be stored.
func (x *Search) Failed() bool { return x.res != nil && x.res.Stop == search.Failed }

// Outcome returns what was found. The context is the one that interrupted the search, if it was interrupted.
func (x *Search) Outcome(ctx context.Context) (*engine.Outcome, error) {
	begun := time.Now()
	out := x.task.Explored(ctx, x.res)
	for _, f := range x.res.Findings {
		v, err := violation(x.task, x.sys, x.in, x.res, f)
		if err != nil {
			return nil, err
		}
		out.Violations = append(out.Violations, v)
	}
	summarise(x.task, x.sys.mem, x.workers, x.res, out)
	out.Stats.Seconds = x.seconds + time.Since(begun).Seconds()
	return out, nil
}

// storedHead has the findings of the workers, and says how states are stored.
type storedHead struct {
	Private  bool
	Interned bool
	Edges    int // of the system, so that the lists fit
	Seconds  float64
	Done     int64
	Exits    int64
	Returned bool     `json:",omitempty"`
	Finals   [][]byte `json:",omitempty"`
	Covered  []int    `json:",omitempty"`
	Blocked  []int    `json:",omitempty"`
	Bounds   []int    `json:",omitempty"`
}

// edgeSets are the sets of edges of a state that only grow.
func edgeSets(s *memory.State, h *storedHead) [3]struct {
	marks []bool
	list  *[]int
} {
	return [3]struct {
		marks []bool
		list  *[]int
	}{{s.Covered, &h.Covered}, {s.Blocked, &h.Blocked}, {s.Bounds, &h.Bounds}}
}

// Save writes the search, which must not run. A search that failed cannot be stored.
func (x *Search) Save(w io.Writer) error {
	head := storedHead{Private: x.private, Interned: x.in != nil, Edges: len(x.sys.mem.Edges()), Seconds: x.seconds}
	for _, k := range x.workers {
		head.Done += k.done
		head.Exits += k.exits
		head.Returned = head.Returned || k.returned
		for text := range k.finals {
			head.Finals = append(head.Finals, []byte(text))
		}
		for _, set := range edgeSets(k.s, &head) {
			for i, marked := range set.marks {
				if marked {
					*set.list = append(*set.list, i)
				}
			}
		}
	}
	for _, list := range []*[]int{&head.Covered, &head.Blocked, &head.Bounds} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	slices.SortFunc(head.Finals, bytes.Compare)
	head.Finals = slices.CompactFunc(head.Finals, bytes.Equal)
	text, err := json.Marshal(&head)
	if err != nil {
		return err
	}
	if _, err := w.Write(append(binary.AppendUvarint(nil, uint64(len(text))), text...)); err != nil {
		return err
	}
	if x.in != nil {
		if err := x.in.Save(w); err != nil {
			return err
		}
	}
	return x.states.Save(w)
}

// maxHead bounds the bytes of a stored head: final states are kept in memory.
const maxHead = 1 << 32

// Load reads a search of the same task that was stored into one that has not begun. The error wraps ErrStored if the
// bytes are not one.
func (x *Search) Load(r *bufio.Reader) error {
	var head storedHead
	size, err := binary.ReadUvarint(r)
	if err != nil || size > maxHead {
		return ErrStored
	}
	text, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil || uint64(len(text)) != size || json.Unmarshal(text, &head) != nil {
		return ErrStored
	}
	if head.Private != x.private {
		x.begin(head.Private)
	}
	if head.Edges != len(x.sys.mem.Edges()) || head.Interned != (x.in != nil) {
		return fmt.Errorf("%w: it is about another program", ErrStored)
	}
	x.seconds = head.Seconds
	first := x.workers[0]
	first.done, first.exits, first.returned = head.Done, head.Exits, head.Returned
	for _, text := range head.Finals {
		first.finals[string(text)] = true
	}
	for _, set := range edgeSets(first.s, &head) {
		for _, i := range *set.list {
			if i < 0 || i >= len(set.marks) {
				return ErrStored
			}
			set.marks[i] = true
		}
	}
	if x.in != nil {
		if err := x.in.Load(r); err != nil {
			return err
		}
	}
	return x.states.Load(r)
}
