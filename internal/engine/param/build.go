package param

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// The net of a program. It has a place for every state of a thread and every value of a cell that
// an execution could reach if threads were in many states and cells had many values at once. This
// over-approximation is computed by adding places until none is new, so places that can never be
// marked are not in the net. The places of a cell are a group, and so are the places of a fixed
// thread; the places of a template are counted.

// Domain restricts the values that cells may hold.
type Domain struct{ Lo, Hi int64 }

// With more values of a cell than maxValues, or more places than maxPlaces, values are taken to be
// unbounded.
const (
	maxValues = 64
	maxPlaces = 1 << 17

	maxTransitions = 1 << 20
)

type locKey struct {
	thread int
	loc    ir.Loc
}

type builder struct {
	p       *ir.Program
	props   *property.Set
	facts   *analysis.Facts
	robust  bool
	domain  *Domain
	visible map[locKey]bool

	net     *Net
	cells   []*cell
	cuts    map[uint64]bool // addresses inside accesses at which cells begin
	split   bool            // a cell must be cut: the net is built again
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

	bounds  []verdict.Bound
	outside int32 // marked when a value leaves the domain
	err     error
}

// build returns the net, with cells as small as necessary.
func build(ctx context.Context, task *engine.Task, robust bool, domain *Domain) (*builder, error) {
	for cuts := map[uint64]bool{}; ; {
		b, err := buildWith(ctx, task, robust, domain, cuts)
		if err != nil || !b.split {
			return b, err
		}
	}
}

func buildWith(ctx context.Context, task *engine.Task, robust bool, domain *Domain, cuts map[uint64]bool) (*builder, error) {
	p := task.Program
	b := &builder{
		p: p, props: task.Props, facts: analysis.NewFacts(p, func(ir.FuncID, ir.Reg) bool { return false }), robust: robust, domain: domain,
		visible: map[locKey]bool{}, net: newNet(), cuts: cuts, localID: map[string]int{}, queued: map[int]bool{},
	}
	b.bad = b.net.place("bad", noGroup)
	b.outside = b.net.place("outside the domain", noGroup)
	if robust {
		b.attackPlaces()
	} else if b.goalLocs(); b.err != nil {
		return nil, b.err
	}
	b.threads()
	for len(b.queue) > 0 && b.err == nil && !b.split {
		id := b.queue[0]
		b.queue = b.queue[1:]
		delete(b.queued, id)
		b.expand(id)
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
	if b.err == nil && !b.split && !robust {
		b.goals()
	}
	return b, b.err
}

// ErrGrows says that the values of a program may be unbounded.
var ErrGrows = fmt.Errorf("the values of the program need more than %d places of a net; give --domain to restrict them", maxPlaces)

// growing is a cell that takes more and more values.
type growing struct{ cell string }

func (g *growing) Error() string {
	return fmt.Sprintf("%s takes more than %d values; give --domain to restrict them", g.cell, maxValues)
}

func (b *builder) diverges(c *cell) {
	if b.err == nil {
		b.err = &growing{c.name}
	}
}

// cut notes that a path ends at a bound.
func (b *builder) cut(e *ir.Edge) {
	one := engine.BoundAt(e)
	if !slices.ContainsFunc(b.bounds, func(o verdict.Bound) bool { return o.Name == one.Name }) {
		b.bounds = append(b.bounds, one)
	}
}

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
		start := b.place(b.entry(t, th.Args, plain))
		if th.Unbounded {
			b.net.Places[start].Init = Omega
		} else {
			b.net.Places[start].Init = 1
		}
	}
}

// entry returns the initial state of a thread. Local steps are not run, since the initial marking
// has one place per thread.
func (b *builder) entry(t int, args []int64, r role) *local {
	f := b.p.ThreadFunc(ir.ThreadID(t))
	l := &local{thread: t, role: r}
	regs := make([]int64, len(f.Regs))
	for i := range f.Regs {
		regs[i] = f.Regs[i].Init
	}
	copy(regs, args)
	return b.at(l, f.Entry, regs)
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
	group := b.groups[l.thread]
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
	n := b.cells[c]
	return b.net.place(fmt.Sprintf("%s = %d", n.name, v), n.group)
}

// expand adds the transitions from a state.
func (b *builder) expand(id int) {
	l := b.locals[id]
	if l.role == attacker {
		b.expandAttacker(id, l)
		return
	}
	here := b.net.places[b.name(l)]
	for _, m := range b.moves(id, l) {
		if b.err != nil || len(b.net.Trans) > maxTransitions {
			return
		}
		switch {
		case l.role == involved:
			b.closing(here, l, &m)
		case b.robust:
			b.plainMove(here, &m, b.modes[open])
			b.beginAttack(here, l, &m)
			b.closing(here, l, &m)
		default:
			b.plainMove(here, &m, -1)
		}
	}
}

// plainMove adds the transitions of an action under SC. mode is a place that must
// be marked, or -1.
func (b *builder) plainMove(here int32, m *move, mode int32) {
	if m.partial {
		return
	}
	if m.leaves {
		b.leave(here, m)
		return
	}
	pre, post := []int32{here}, []int32{}
	if mode >= 0 && len(m.accesses)+m.spawns > 0 {
		pre, post = append(pre, mode), append(post, mode)
	}
	pre, post = b.addCells(m, pre, post)
	if m.spawns > 0 {
		pre, post = b.spawned(m, pre, post, plain)
	}
	for _, n := range m.next {
		switch {
		case !n.fails:
			b.net.add(label(m.edge), pre, append(slices.Clone(post), b.place(n.l)))
		case !b.robust && b.props.Checks:
			b.net.add(label(m.edge), pre, append(slices.Clone(post), b.bad))
		}
	}
}

// leave adds the transition of a write of a value outside the domain. In every phase of an attack
// it shows that the domain is too small.
func (b *builder) leave(here int32, m *move) {
	pre := []int32{here}
	for _, t := range m.accesses {
		pre = append(pre, b.valuePlace(t.cell, t.old))
	}
	b.net.add("leave "+label(m.edge), pre, append(slices.Clone(pre), b.outside))
}

// addCells adds the arcs for the cells of an action.
func (b *builder) addCells(m *move, pre, post []int32) ([]int32, []int32) {
	for _, t := range m.accesses {
		pre = append(pre, b.valuePlace(t.cell, t.old))
		post = append(post, b.valuePlace(t.cell, t.new))
	}
	return pre, post
}

func label(e *ir.Edge) string {
	if e.Pos.IsValid() {
		return fmt.Sprintf("%s@%d:%d", e.Op.Kind, e.Pos.Line, e.Pos.Col)
	}
	return fmt.Sprintf("%s#%d", e.Op.Kind, e.ID)
}

// spawn returns the moves of a spawn.
func (b *builder) spawn(l *local, e *ir.Edge) []move {
	if len(e.Op.Threads) != 1 {
		b.refuse(e, "a thread that is started more than once")
		return nil
	}
	t := int(e.Op.Threads[0])
	regs := slices.Clone(l.regs)
	if e.Op.Dst != ir.NoReg {
		regs[e.Op.Dst] = int64(t)
	}
	return []move{{edge: e, spawns: t + 1, args: b.arguments(l, e), next: b.runLocal(b.at(l, e.To, regs))}}
}

func (b *builder) arguments(l *local, e *ir.Edge) []int64 {
	var out []int64
	for _, a := range e.Op.Args {
		out = append(out, a.Eval(b.env(l.regs, 0)))
	}
	return out
}

// spawned adds the tokens of a thread that starts. Any number of instances of a template start from
// there: a token remains that adds more.
func (b *builder) spawned(m *move, pre, post []int32, r role) ([]int32, []int32) {
	t := m.spawns - 1
	start := b.place(b.entry(t, m.args, r))
	if !b.p.Threads[t].Unbounded {
		return append(pre, b.unstarted(t)), append(post, start)
	}
	gate := b.net.place(fmt.Sprintf("start %s%s %v", b.p.Threads[t].Name, roleMarks[r], m.args), noGroup)
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
