package fairness

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
)

// arc is a step from one state to another, with the local steps after it.
type arc struct {
	to     int32
	thread int32
	kind   arcKind
	effect bool   // the thread changes memory, or enters or leaves a wait
	addr   uint64 // flush: of the entry
}

// nowhere is the target of a step after which the program has ended, or that a bound withholds.
const nowhere = -1

type arcKind uint8

const (
	move arcKind = iota
	flush
	wake // a wake-up without a signal, which need never happen
)

// graph has all states of a program. States are numbered in the order of their distance from the first.
type graph struct {
	task  *engine.Task
	y     *memory.System
	s     *memory.State
	eager *reduce.Runner

	numbers map[string]int32
	codes   []string // by state
	parent  []int32  // by state: one before it, or -1
	next    [][]arc  // by state
	ends    []bool   // by state: the program can end, fail or come to a bound there
	bytes   int64

	steps []memory.Step
	code  []byte
	from  int32 // the state that is expanded, or -1
	arc   arc   // under construction
	arcs  int64
}

func newGraph(task *engine.Task) *graph {
	opt, eager := task.MemoryOptions(), task.EagerOptions()
	opt.Buffer = task.Limits.Buffer
	eager.Reduce, eager.Bounded = false, opt.Buffer > 0
	y := memory.New(task.Program, task.Model, opt)
	g := &graph{task: task, y: y, s: y.NewState(), eager: reduce.NewRunner(reduce.NewPlan(y, eager)), numbers: map[string]int32{}}
	g.s.Record = true
	return g
}

// stateCost is the cost of a state, as work.
const stateCost = 2 * budget.Microsecond

// perState and perArc are estimates of the bytes that a state needs beside its code, and an arc.
const (
	perState = 96
	perArc   = 24
)

// explore visits all states. It returns why it did not, "" if it did.
func (g *graph) explore(ctx context.Context) (string, error) {
	g.from = -1
	g.eager.RunAll(g.s, g.visit)
	for i := int32(0); int(i) < len(g.codes) && g.s.Err == nil; i++ {
		if i%256 == 0 {
			if why := g.limits(ctx); why != "" {
				return why, nil
			}
		}
		g.expand(i)
	}
	return "", g.s.Err
}

// limits returns which limit was met, or "".
func (g *graph) limits(ctx context.Context) string {
	if err := budget.Spend(ctx, 256*stateCost); err != nil || ctx.Err() != nil {
		return fmt.Sprintf("time limit reached after %d states of the search for endless executions", len(g.codes))
	}
	l := &g.task.Limits
	if most := l.MemoryLimit(); most > 0 && g.bytes+g.arcs*perArc > most {
		return fmt.Sprintf("memory limit of %s reached after %d states of the search for endless executions", l.MemoryText(), len(g.codes))
	}
	if l.States > 0 && int64(len(g.codes)) > l.States {
		return fmt.Sprintf("limit of %d states reached", l.States)
	}
	return ""
}

// expand adds the steps from a state.
func (g *graph) expand(i int32) {
	s := g.s
	g.from = i
	g.y.Codec().Decode(s, []byte(g.codes[i]))
	if memory.MainReturned(g.y, s) {
		g.ends[i] = true
		return
	}
	for t := range g.y.Threads() {
		s.Withheld = false
		g.steps = g.y.EnabledThread(s, t, g.steps[:0])
		if s.Withheld {
			g.arc = arc{thread: int32(t)}
			g.end()
		}
		for _, st := range slices.Clone(g.steps) {
			tries := g.tries(st)
			g.arc = g.describe(st)
			mark := s.Mark()
			g.y.Apply(s, st)
			g.arc.effect = g.arc.effect && (!tries || s.Event.Wrote && (s.Event.Written != s.Event.Value || s.Event.Remasked))
			g.eager.Run(s, t, g.visit)
			s.Undo(mark)
		}
	}
}

// tries reports whether a step may change memory or not, as memory has it.
func (g *graph) tries(st memory.Step) bool {
	if st.Kind != memory.Exec {
		return false
	}
	op := g.y.Thread(g.s, int(st.Thread)).Op(st.Edge)
	return op.Kind == ir.RMW || op.Kind == ir.TryLock
}

// end notes that the program ends or fails, or a bound is met, after the step under construction.
func (g *graph) end() {
	g.arc.to = nowhere
	g.ends[g.from] = true
	g.next[g.from] = append(g.next[g.from], g.arc)
	g.arcs++
}

// describe returns the arc of a step, without its target.
func (g *graph) describe(st memory.Step) arc {
	a := arc{thread: st.Thread}
	switch st.Kind {
	case memory.Flush:
		a.kind, a.addr = flush, g.s.Buffer(ir.ThreadID(st.Thread))[st.Index].Addr
	case memory.Wake:
		if op := g.y.Thread(g.s, int(st.Thread)).Op(st.Edge); !op.Timed {
			a.kind = wake
		}
	case memory.Relock:
		a.effect = true
	default:
		switch op := g.y.Thread(g.s, int(st.Thread)).Op(st.Edge); op.Kind {
		case ir.Load, ir.Await, ir.AbstractLoad, ir.Fence:
		default:
			a.effect = !op.Local()
		}
	}
	return a
}

// visit takes one successor, after its local steps.
func (g *graph) visit() {
	if g.s.Faulted() || g.s.Over() {
		if g.from >= 0 {
			g.end()
		}
		return
	}
	g.code = g.y.Codec().Encode(g.s, g.code[:0])
	n, known := g.numbers[string(g.code)]
	if !known {
		n = int32(len(g.codes))
		code := string(g.code)
		g.numbers[code] = n
		g.codes = append(g.codes, code)
		g.parent = append(g.parent, g.from)
		g.next = append(g.next, nil)
		g.ends = append(g.ends, false)
		g.bytes += int64(len(code)) + perState
	}
	if g.from < 0 {
		return
	}
	a := g.arc
	a.to = n
	if !slices.Contains(g.next[g.from], a) {
		g.next[g.from] = append(g.next[g.from], a)
		g.arcs++
	}
}
