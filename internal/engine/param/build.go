package param

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/lts"
	"fencepost/internal/property"
)

// The net of a program. It has a place for every state of a thread and every value of a cell that
// an execution could reach if threads were in many states and cells had many values at once. This
// over-approximation is computed by adding places until none is new, so places that can never be
// marked are not in the net. The places of a cell are a group, and so are the places of a fixed
// thread; the places of a template are counted.

// Domain restricts the values that cells may hold.
type Domain = lts.Domain

// With more places than maxPlaces, values are taken to be unbounded.
const (
	maxPlaces = 1 << 17

	maxTransitions = 1 << 20
)

type builder struct {
	p      *ir.Program
	props  *property.Set
	robust bool
	sys    *lts.System

	net     *Net
	cells   []cellPlaces // by cell of sys
	locals  []*local
	localID map[string]int
	groups  []int // by thread: of its places, if it is fixed
	queue   []int
	queued  map[int]bool

	bad     int32 // must not be marked: a check fails, a goal is reached, or a cycle closes
	modes   [3]int32
	idle    int32 // there is no attacker yet
	stopped int32 // the attacker has stopped
	attack  int   // group of the attacker's places
	aims    int   // group of targets

	outside int32 // marked when a value leaves the domain
	err     error
}

// cellPlaces has what the net knows about a cell.
type cellPlaces struct {
	group  int
	levels [3]int32
	aims   []int32 // places of delayed stores that write it
}

// build returns the net, with cells as small as necessary.
func build(ctx context.Context, task *engine.Task, robust bool, domain *Domain) (*builder, error) {
	if err := engine.NoMasks("a search for any number of threads", task.Program); err != nil {
		return nil, err
	}
	for cuts := (lts.Cuts{}); ; {
		b, err := buildWith(ctx, task, robust, domain, cuts)
		if err != nil || !b.sys.Split {
			return b, err
		}
	}
}

func buildWith(ctx context.Context, task *engine.Task, robust bool, domain *Domain, cuts lts.Cuts) (*builder, error) {
	p := task.Program
	b := &builder{
		p: p, props: task.Props, robust: robust, net: newNet(), localID: map[string]int{}, queued: map[int]bool{},
	}
	b.sys = lts.New(p, cuts, lts.Options{For: "for any number of threads: ", Domain: domain, Attacks: robust, NewCell: b.newCell, Again: b.revisit})
	b.bad = b.net.place("bad", noGroup)
	b.outside = b.net.place("outside the domain", noGroup)
	if robust {
		b.attackPlaces()
	} else if b.goalLocs(); b.err != nil {
		return nil, b.err
	}
	b.threads()
	for len(b.queue) > 0 && b.err == nil && !b.sys.Split {
		id := b.queue[0]
		b.queue = b.queue[1:]
		delete(b.queued, id)
		b.expand(id)
		if b.err == nil {
			b.err = b.sys.Err
		}
		if len(b.net.Places) > maxPlaces || len(b.net.Trans) > maxTransitions {
			b.err = ErrGrows
		}
		if limit := task.Limits.MemoryLimit(); limit > 0 && b.net.bytes() > limit {
			b.err = fmt.Errorf("memory limit of %d MiB reached with a net of %d places", limit>>20, len(b.net.Places))
		}
		if ctx.Err() != nil {
			b.err = fmt.Errorf("%s with a net of %d places", stopped(ctx), len(b.net.Places))
		}
	}
	if b.err == nil && !b.sys.Split && !robust {
		b.goals()
	}
	return b, b.err
}

// ErrGrows says that the values of a program may be unbounded.
var ErrGrows = fmt.Errorf("the values of the program need more than %d places of a net; give --domain to restrict them", maxPlaces)

// threads marks the initial states of the threads.
func (b *builder) threads() {
	for t := range b.p.Threads {
		th := &b.p.Threads[t]
		group := noGroup
		if !th.Unbounded {
			group = b.net.group()
		}
		b.groups = append(b.groups, group)
	}
	for t := range b.p.Threads {
		th := &b.p.Threads[t]
		if !th.Start {
			if !th.Unbounded {
				b.net.Places[b.unstarted(t)].Init = 1
			}
			continue
		}
		start := b.place(&local{State: b.sys.Entry(t, th.Args), role: plain})
		if th.Unbounded {
			b.net.Places[start].Init = Omega
		} else {
			b.net.Places[start].Init = 1
		}
	}
}

func (b *builder) unstarted(t int) int32 {
	return b.net.place(b.p.Threads[t].Name+": not started", b.groups[t])
}

// place returns the place of a state. A new one will be expanded.
func (b *builder) place(l *local) int32 {
	name := b.name(l)
	if _, ok := b.localID[name]; ok {
		return b.net.places[name]
	}
	group := b.groups[l.Thread]
	if l.role == attacker {
		group = b.attack
	}
	id := len(b.locals)
	b.locals = append(b.locals, l)
	b.localID[name] = id
	b.revisit(id)
	return b.net.place(name, group)
}

// revisit expands a state again.
func (b *builder) revisit(id int) {
	if !b.queued[id] {
		b.queued[id] = true
		b.queue = append(b.queue, id)
	}
}

func (b *builder) valuePlace(c int, v int64) int32 {
	return b.net.place(fmt.Sprintf("%s = %d", b.sys.Cells[c].Name, v), b.cells[c].group)
}

// expand adds the transitions from a state.
func (b *builder) expand(id int) {
	l := b.locals[id]
	if l.role == attacker {
		b.expandAttacker(id, l)
		return
	}
	here := b.net.places[b.name(l)]
	for _, m := range b.sys.Moves(id, &l.State) {
		if b.err != nil || len(b.net.Trans) > maxTransitions {
			return
		}
		switch {
		case l.role == involved:
			b.closing(here, l, &m)
		case b.robust:
			b.plainMove(here, &m, plain, b.modes[open])
			b.beginAttack(here, l, &m)
			b.closing(here, l, &m)
		default:
			b.plainMove(here, &m, plain, -1)
		}
	}
}

// plainMove adds the transitions of an action under SC. mode is a place that must
// be marked, or -1.
func (b *builder) plainMove(here int32, m *lts.Move, r role, mode int32) {
	if m.Partial {
		return
	}
	if m.Leaves {
		b.leave(here, m)
		return
	}
	pre, post := []int32{here}, []int32{}
	if mode >= 0 && len(m.Accesses)+m.Spawns > 0 {
		pre, post = append(pre, mode), append(post, mode)
	}
	pre, post = b.addCells(m, pre, post)
	if m.Spawns > 0 {
		pre, post = b.spawned(m, pre, post, plain)
	}
	for _, n := range m.Next {
		switch {
		case !n.Fails:
			b.net.add(label(m.Edge), pre, append(slices.Clone(post), b.place(&local{State: n.State, role: r})))
		case !b.robust && b.props.Checks:
			b.net.add(label(m.Edge), pre, append(slices.Clone(post), b.bad))
		}
	}
}

// leave adds the transition of a write of a value outside the domain. In every phase of an attack
// it shows that the domain is too small.
func (b *builder) leave(here int32, m *lts.Move) {
	pre := []int32{here}
	for _, t := range m.Accesses {
		pre = append(pre, b.valuePlace(t.Cell, t.Old))
	}
	b.net.add("leave "+label(m.Edge), pre, append(slices.Clone(pre), b.outside))
}

// addCells adds the arcs for the cells of an action.
func (b *builder) addCells(m *lts.Move, pre, post []int32) ([]int32, []int32) {
	for _, t := range m.Accesses {
		pre = append(pre, b.valuePlace(t.Cell, t.Old))
		post = append(post, b.valuePlace(t.Cell, t.New))
	}
	return pre, post
}

func label(e *ir.Edge) string {
	if e.Pos.IsValid() {
		return fmt.Sprintf("%s@%d:%d", e.Op.Kind, e.Pos.Line, e.Pos.Col)
	}
	return fmt.Sprintf("%s#%d", e.Op.Kind, e.ID)
}

// spawned adds the tokens of a thread that starts. Any number of instances of a template start from
// there: a token remains that adds more.
func (b *builder) spawned(m *lts.Move, pre, post []int32, r role) ([]int32, []int32) {
	t := m.Spawns - 1
	start := b.place(&local{State: b.sys.Entry(t, m.Args), role: r})
	if !b.p.Threads[t].Unbounded {
		return append(pre, b.unstarted(t)), append(post, start)
	}
	gate := b.net.place(fmt.Sprintf("start %s%s %v", b.p.Threads[t].Name, roleMarks[r], m.Args), noGroup)
	b.net.add("start "+b.p.Threads[t].Name, []int32{gate}, []int32{gate, start})
	return pre, append(post, gate)
}

// stopped says why a search ended that did not come to its end.
func stopped(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "time limit reached"
	}
	return "interrupted"
}
