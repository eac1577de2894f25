package testkit

import (
	"math/rand/v2"

	"fencepost/internal/ir"
)

// Profile says what kinds of statements random programs have.
type Profile struct {
	Name     string
	Mixed    bool // accesses of different sizes
	Overlap  bool // accesses of different sizes to one or two words of four bytes, so that most overlap in part
	Computed bool // addresses depend on registers
	Sync     bool // mutexes, conditions, barriers
	Waits    bool // with Sync: read-modify-writes that wait, mutexes that check for errors, and more of recursive ones
	Heap     bool // allocation
	Spawn    bool // thread 0 starts the others
	FenceAll bool // a full fence after every store
	Goal     bool // a control state that must not be reached
	Loops    bool // loops, with stores in them too: the enumerator cannot do those under TSO and PSO
	Spins    bool // loops that wait, some of them nested in others; no registers are observed
	Plain    bool // loads, stores, RMWs, fences, sections, branches only: no checks, no blocking
	Sections bool // many sections, with checks, branches and waits of every kind inside; goals about any threads
}

// Profiles rotate through the seeds of a differential run.
var Profiles = []Profile{
	{Name: "core"},
	{Name: "plain", Plain: true},
	{Name: "mixed", Mixed: true},
	{Name: "sync", Sync: true},
	{Name: "goal", Goal: true},
	{Name: "heap", Heap: true},
	{Name: "mixed", Mixed: true, Goal: true},
	{Name: "spawn", Spawn: true},
	{Name: "waits", Sync: true, Waits: true},
	{Name: "overlap", Overlap: true},
	{Name: "overlap-plain", Overlap: true, Plain: true},
}

// MaxStatements is the most a random program has, over all threads.
const MaxStatements = 12

// Generate makes the program of a seed: the same one every time.
func Generate(seed uint64, pr Profile) *Program {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x5eed)), pr: pr}
	p := &Program{Seed: seed, Spawned: pr.Spawn, Goal: pr.Goal, Quiet: pr.Spins, Computed: pr.Computed, AnyGoal: pr.Goal && pr.Sections}
	threads := 2 + g.r.IntN(3)*g.r.IntN(2) // mostly two, where most is to be seen
	g.vars = 2 + g.r.IntN(4)/3
	budget := 4 + g.r.IntN(MaxStatements-3)
	if pr.Sync || pr.Heap || pr.Spawn || pr.Loops || pr.Spins {
		budget = min(budget, 9)
	}
	for i := range threads {
		share := max(1, budget/(threads-i))
		if i < threads-1 {
			share = max(1, share+g.r.IntN(3)-1)
		}
		budget -= share
		g.pointers = 0
		p.Threads = append(p.Threads, g.list(share, 0))
	}
	return p
}

type generator struct {
	r        *rand.Rand
	pr       Profile
	vars     int // shared variables used
	pointers int // registers that may hold a block, as bits
}

func (g *generator) list(n, depth int) []Stmt {
	var out []Stmt
	for n > 0 {
		s, cost := g.stmt(n, depth)
		out = append(out, s)
		n -= cost
		if g.pr.FenceAll && (s.Kind == Store || s.Kind == StoreReg || s.Kind == Deref || s.Kind == Free) {
			out = append(out, Stmt{Kind: Fence})
		}
	}
	return out
}

func (g *generator) place(s Stmt) Stmt {
	s.Var, s.Size = g.r.IntN(g.vars), varSize
	if g.pr.Mixed {
		s.Var = g.r.IntN(2)
		switch g.r.IntN(4) {
		case 0:
			s.Size, s.Off = 4, 4*g.r.IntN(2)
		case 1:
			s.Size, s.Off = 1, g.r.IntN(5)
		}
	}
	if g.pr.Overlap {
		s.Var = g.r.IntN(4) / 3
		s.Size = 1 << g.r.IntN(3)
		s.Off = g.r.IntN(4 - s.Size + 1) // at any byte
	}
	s.Reg, s.Reg2 = g.r.IntN(Regs), g.r.IntN(Regs)
	s.Val, s.Val2 = int64(g.r.IntN(3)), int64(g.r.IntN(3))
	if (g.pr.Mixed || g.pr.Overlap) && g.r.IntN(3) == 0 {
		s.Val = 0x1_0000_0101 * s.Val
	}
	return s
}

// stmt picks a statement of at most n and says how many it counts for.
func (g *generator) stmt(n, depth int) (Stmt, int) {
	k := g.r.IntN(100)
	if g.pr.Sync && k < 30 {
		return g.sync(n, depth)
	}
	if g.pr.Heap && k < 50 {
		return g.heap(), 1
	}
	s := g.place(Stmt{})
	if g.pr.Sections && k < 40 && n > 1 && depth < 2 {
		s.Kind = Atomic
		s.Body = g.inside(1+g.r.IntN(min(3, n-1)), 0)
		return s, 1 + len(s.Body)
	}
	if g.pr.Spins && k < 30 {
		return g.spin(s, n, depth)
	}
	if g.pr.Loops && k < 20 && n > 1 && depth < 2 {
		s.Kind = Loop
		s.Body = g.list(1+g.r.IntN(min(3, n-1)), depth+1)
		return s, 1 + len(s.Body)
	}
	k = g.r.IntN(100)
	switch {
	case g.pr.Plain && k < 84: // where the models differ most
		s.Kind = []Kind{Store, Load}[k%2]
	case k < 28:
		s.Kind = Store
	case k < 32:
		s.Kind = StoreReg
	case k < 60:
		s.Kind = Load
	case k < 70:
		s.Kind = Rmw
		s.RMW = []ir.RMWKind{ir.Xchg, ir.FetchAdd, ir.Cas, ir.Cas, ir.FetchOr, ir.FetchAnd, ir.FetchXor}[g.r.IntN(7)]
	case k < 74:
		s.Kind = Fence
	case k < 78:
		s.Kind = SSFence
	case k < 84 && n > 1 && depth < 2:
		return g.branch(s, n, depth)
	case k < 88 && n > 1 && depth < 2:
		s.Kind = Atomic
		s.Body = g.section(1 + g.r.IntN(min(2, n-1)))
		return s, 1 + len(s.Body)
	case g.pr.Plain:
		s.Kind = Load
	default:
		s.Kind = []Kind{Incr, Assume, Assert, Await, Havoc, ALoad, Spin, Incr, Await, Assert}[g.r.IntN(10)]
		if s.Kind == Havoc {
			s.Val = 1
		}
		if g.r.IntN(40) == 0 {
			s.Kind = Exit
		}
	}
	return s, 1
}

func (g *generator) branch(s Stmt, n, depth int) (Stmt, int) {
	s.Kind = If
	if g.r.IntN(3) == 0 {
		s.Kind = Choose
	}
	s.Body = g.list(1+g.r.IntN(min(2, n-1)), depth+1)
	cost := 1 + len(s.Body)
	if cost < n && g.r.IntN(2) == 0 {
		s.Else = g.list(1, depth+1)
		cost++
	}
	return s, cost
}

// section is what stands inside an atomic section: accesses only.
func (g *generator) section(n int) []Stmt {
	var out []Stmt
	for range n {
		s := g.place(Stmt{})
		s.Kind = []Kind{Store, Load, Load, StoreReg, Incr, Rmw}[g.r.IntN(6)]
		s.RMW = ir.Cas
		if g.pr.Waits && g.r.IntN(4) == 0 {
			s.Kind = []Kind{Await, RmwWait, Assume}[g.r.IntN(3)]
		}
		if s.Kind == StoreReg {
			s.Size, s.Off = varSize, 0
		}
		out = append(out, s)
	}
	return out
}

// inside is what stands inside an atomic section where anything may: accesses, checks,
// assumptions, waits for values, mutexes, conditions and barriers, and branches of these.
func (g *generator) inside(n, depth int) []Stmt {
	var out []Stmt
	for range n {
		s := g.place(Stmt{})
		switch k := g.r.IntN(20); {
		case k < 10:
			out = append(out, g.section(1)...)
			continue
		case k < 12:
			s.Kind = Await
		case k < 14:
			s.Kind = []Kind{Assert, Assume}[k%2]
		case k == 14:
			s.Kind, s.RMW = RmwWait, ir.Xchg
		case k < 18 && depth == 0:
			s.Kind = []Kind{If, Choose, Locked}[g.r.IntN(3)]
			s.Val = int64(g.r.IntN(2))
			s.Body = g.inside(1, 1)
			if s.Kind != Locked && g.r.IntN(2) == 0 {
				s.Else = g.inside(1, 1)
			}
		case k == 18 && depth == 0:
			s.Kind, s.Val = []Kind{TryLock, Wait, Signal, Barrier}[g.r.IntN(4)], 0
		default:
			s.Kind = []Kind{Havoc, ALoad, Fence}[g.r.IntN(3)]
			if s.Kind == Havoc {
				s.Val = 1
			}
		}
		out = append(out, s)
	}
	return out
}

func (g *generator) sync(n, depth int) (Stmt, int) {
	s := g.place(Stmt{})
	s.Val = int64(g.r.IntN(2))
	kinds := []Kind{Locked, Locked, TryLock, Wait, Signal, Bcast, Barrier}
	if g.pr.Waits {
		s.Val = int64(g.r.IntN(3))
		s.RMW = []ir.RMWKind{ir.Xchg, ir.FetchAdd, ir.Cas}[g.r.IntN(3)]
		kinds = append(kinds, RmwWait, RmwWait, Locked)
	}
	s.Kind = kinds[g.r.IntN(len(kinds))]
	if depth > 0 && (s.Kind == Wait || s.Kind == Barrier) {
		s.Kind = Signal
	}
	if (s.Kind == Locked || s.Kind == TryLock) && n > 1 && depth < 2 {
		s.Body = g.list(1+g.r.IntN(min(2, n-1)), depth+1)
	}
	return s, 1 + len(s.Body)
}

// spin is a loop that waits, or one around reads and such loops that does not store
// and ends whenever it likes.
func (g *generator) spin(s Stmt, n, depth int) (Stmt, int) {
	s.Kind = []Kind{Spin, SpinCas, SpinTwo, SpinTry, Loop}[g.r.IntN(5)]
	switch {
	case s.Kind == SpinTry && n > 1:
		s.Body = g.section(1)
		return s, 2
	case s.Kind == Loop && n > 1 && depth < 2:
		inner := g.place(Stmt{})
		inner.Kind = []Kind{Load, Spin, SpinTwo, SpinCas}[g.r.IntN(4)]
		s.Body = []Stmt{inner}
		return s, 2
	case s.Kind == Loop:
		s.Kind = SpinTwo
	}
	return s, 1
}

func (g *generator) heap() Stmt {
	s := g.place(Stmt{})
	s.Size, s.Off = varSize, 0
	if g.pointers == 0 || g.r.IntN(4) == 0 {
		if g.r.IntN(3) == 0 { // take over what another thread published
			s.Kind = Load
		} else {
			s.Kind, s.Val = Alloc, 8
		}
		g.pointers |= 1 << s.Reg
		return s
	}
	for g.pointers&(1<<s.Reg) == 0 {
		s.Reg = g.r.IntN(Regs)
	}
	switch g.r.IntN(5) {
	case 0:
		s.Kind = StoreReg // publish it
	case 1:
		s.Kind = Free
	case 2:
		s.Kind, s.Reg2 = LoadAt, s.Reg
		s.Reg = g.r.IntN(Regs)
	default:
		s.Kind = Deref
	}
	return s
}
