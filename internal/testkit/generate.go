package testkit

import (
	"math/rand/v2"

	"fencepost/internal/ir"
)

// Profile says which kinds of statements random programs have.
//
// shape: options
type Profile struct {
	Name     string
	Mixed    bool // accesses of different sizes
	Overlap  bool // accesses of different sizes to one or two words of four bytes, so that most overlap in part
	Computed bool // addresses depend on registers
	Sync     bool // mutexes, condition variables, barriers
	Waits    bool // with Sync: read-modify-writes that wait, error-checking mutexes, and more recursive ones
	Heap     bool // allocation
	Spawn    bool // thread 0 starts the others
	FenceAll bool // a full fence after every store
	Goal     bool // a control state that must not be reached
	Loops    bool // loops, which may store; the enumerator does not finish on those under TSO and PSO
	Spins    bool // spin loops, some of them nested; no registers are observed
	Rounds   bool // loops of all kinds that may never end, calls, and threads that end early; no registers are observed
	Plain    bool // only loads, stores, RMWs, fences, atomic sections, branches: no checks, no blocking
	Nested   bool // with Sync: only recursive mutexes, taken and tried again while stores are in the buffer; with Waits stores to them
	Tries    bool // with Sync: calls that fail between stores and loads, of mutexes of all kinds
	Words    bool // with Sync: stores into mutexes, conditions and barriers
	Global   bool // fences that wait until all buffers are empty
	Joins    bool // threads are joined by their numbers, by any thread, before they start, twice, or not at all
	Shared   bool // threads that several threads can start, by statements
	Reuse    bool // each block is freed by the thread that has it, so that allocations use it again without errors
	Choices  bool // awaits of one of two variables, and sections that begin with a choice
	Sections bool // many atomic sections, with checks, branches and all kinds of waits inside; goals about any threads
	Inside   bool // many atomic sections without waits that read several variables; with Sync, Heap, Reuse or Spawn such operations inside
}

// Profiles has the profiles of a differential run. Consecutive seeds use them in turn.
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

// Rare has profiles for what the programs of Profiles seldom have.
var Rare = []Profile{{Name: "nested", Sync: true, Nested: true}, {Name: "choices", Choices: true}, {Name: "held", Sync: true, Nested: true, Waits: true}, {Name: "reuse", Reuse: true}, {Name: "joins", Joins: true}, {Name: "joins-spawn", Joins: true, Spawn: true}, {Name: "starts", Joins: true, Shared: true}, {Name: "global", Global: true},
	{Name: "inside", Inside: true}, {Name: "inside-sync", Inside: true, Sync: true}, {Name: "inside-heap", Inside: true, Heap: true}, {Name: "inside-reuse", Inside: true, Reuse: true}, {Name: "inside-spawn", Inside: true, Spawn: true}, {Name: "inside-overlap", Inside: true, Overlap: true},
	{Name: "tries", Sync: true, Tries: true}}

// Overwriting has profiles of programs that store into mutexes, conditions and barriers.
var Overwriting = []Profile{{Name: "words", Sync: true, Words: true}, {Name: "words-waits", Sync: true, Waits: true, Words: true}, {Name: "words-spawn", Sync: true, Spawn: true, Words: true},
	{Name: "words-sections", Sync: true, Sections: true, Words: true}, {Name: "words-loops", Sync: true, Loops: true, Words: true}, {Name: "words-goal", Sync: true, Goal: true, Waits: true, Words: true}}

// Looping has profiles of programs whose loops can store, some of them inside atomic sections.
var Looping = []Profile{{Name: "loops", Loops: true}, {Name: "loops-inside", Loops: true, Inside: true}, {Name: "loops-goal", Loops: true, Goal: true}, {Name: "loops-sync", Loops: true, Sync: true},
	{Name: "loops-inside-heap", Loops: true, Inside: true, Heap: true}, {Name: "loops-overlap", Loops: true, Overlap: true}, {Name: "loops-inside-sync", Loops: true, Inside: true, Sync: true}, {Name: "loops-inside-spawn", Loops: true, Inside: true, Spawn: true}}

// MaxStatements is the largest number of statements of a random program, in all threads.
const MaxStatements = 12

// Generate returns a random program. The seed and the profile determine it.
func Generate(seed uint64, pr Profile) *Program {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x5eed)), pr: pr}
	p := &Program{Seed: seed, Spawned: pr.Spawn, SpawnInside: pr.Spawn && pr.Inside, Goal: pr.Goal, Quiet: pr.Spins || pr.Rounds, Computed: pr.Computed, Shared: pr.Shared, AnyGoal: pr.Goal && pr.Sections}
	threads := 2 + g.r.IntN(3)*g.r.IntN(2) // mostly two, which show most differences
	if pr.Tries {
		threads = 2 + g.r.IntN(2)
	}
	g.vars = 2 + g.r.IntN(4)/3
	budget := 4 + g.r.IntN(MaxStatements-3)
	if pr.Reuse {
		g.vars = 2              // the third is for blocks
		budget = min(budget, 5) // smc tells all orders of allocations and frees apart
	}
	if pr.Sync || pr.Heap || pr.Reuse || pr.Shared || pr.Spawn || pr.Loops || pr.Spins || pr.Rounds {
		budget = min(budget, 9)
	}
	for i := range threads {
		share := max(1, budget/(threads-i))
		if i < threads-1 {
			share = max(1, share+g.r.IntN(3)-1)
		}
		budget -= share
		g.pointers = 0
		if pr.Tries {
			p.Threads = append(p.Threads, g.tries(i))
			continue
		}
		p.Threads = append(p.Threads, g.list(share, 0))
	}
	return p
}

type generator struct {
	r        *rand.Rand
	pr       Profile
	vars     int // shared variables used
	pointers int // set of registers that may point to a block, as bits
}

// list returns statements that count for n in total.
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

// statement returns a statement without a kind, with random operands.
func (g *generator) statement() Stmt {
	s := Stmt{Var: g.r.IntN(g.vars), Size: varSize}
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
		s.Off = g.r.IntN(4 - s.Size + 1) // may be unaligned
	}
	s.Reg, s.Reg2 = g.r.IntN(Regs), g.r.IntN(Regs)
	s.Val, s.Val2 = int64(g.r.IntN(3)), int64(g.r.IntN(3))
	if (g.pr.Mixed || g.pr.Overlap) && g.r.IntN(3) == 0 {
		s.Val = 0x1_0000_0101 * s.Val
	}
	return s
}

// stmt returns a random statement, and how many statements it counts for, at most n.
func (g *generator) stmt(n, depth int) (Stmt, int) {
	k := g.r.IntN(100)
	if g.pr.Sync && (k < 30 || g.pr.Nested && k < 45) {
		return g.sync(n, depth)
	}
	if g.pr.Heap && k < 50 && (!g.pr.Inside || k < 20) {
		return g.heap(), 1
	}
	if g.pr.Reuse && (k < 50 && (!g.pr.Inside || k < 20) || g.pr.Heap && k < 70) {
		return g.reuse(n)
	}
	s := g.statement()
	if g.pr.Global && k < 20 {
		s.Kind = GFence
		return s, 1
	}
	if g.pr.Shared && k < 25 {
		s.Kind = Start
		return s, 1
	}
	if g.pr.Joins && (k < 25 || g.pr.Shared && k < 35) {
		s.Kind, s.Val, s.Val2 = []Kind{JoinOne, JoinOr}[g.r.IntN(2)], int64(g.r.IntN(4)), int64(g.r.IntN(4))
		return s, 1
	}
	if g.pr.Sections && k < 40 && n > 1 && depth < 2 {
		s.Kind = Atomic
		s.Body = g.inside(1+g.r.IntN(min(3, n-1)), 0)
		return s, 1 + len(s.Body)
	}
	if g.pr.Inside && k < 70 && n > 1 && depth < 2 {
		s.Kind = Atomic
		s.Body = g.mixture(1+g.r.IntN(min(3, n-1)), 0)
		return s, 1 + len(s.Body)
	}
	if g.pr.Choices && k < 15 {
		s.Kind = AwaitOr
		return s, 1
	}
	if g.pr.Choices && k < 40 && n > 2 && depth < 2 {
		s.Kind = Atomic
		choice := g.statement()
		choice.Kind, choice.Body, choice.Else = Choose, g.section(1), g.section(g.r.IntN(2))
		if g.r.IntN(3) == 0 {
			choice.Kind, choice.Body, choice.Else = ALoadOr, nil, nil
		}
		s.Body = append([]Stmt{choice}, g.section(g.r.IntN(2))...)
		if g.r.IntN(3) == 0 {
			s.Body = append(g.section(1), s.Body...)
		}
		return s, 3
	}
	if g.pr.Rounds && k < 30 && (!g.pr.Spins || k < 15) {
		return g.rounds(s, n, depth)
	}
	if g.pr.Spins && k < 30 {
		return g.spin(s, n, depth)
	}
	if g.pr.Loops && k < 20 && n > 1 && depth < 2 {
		s.Kind = Loop
		s.Body = g.list(1+g.r.IntN(min(3, n-1)), depth+1)
		return s, 1 + len(s.Body)
	}
	return g.simple(s, n, depth)
}

// simple makes of s what programs have that nothing special is asked of, and returns what it counts for.
func (g *generator) simple(s Stmt, n, depth int) (Stmt, int) {
	k := g.r.IntN(100)
	switch {
	case g.pr.Plain && k < 84: // these show most differences between models
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

// branch returns an If or Choose with the operands of s, and what it counts for.
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

// section returns n statements for an atomic section: mostly accesses.
func (g *generator) section(n int) []Stmt {
	var out []Stmt
	for range n {
		s := g.statement()
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

// inside returns n statements for an atomic section of profile Sections: accesses, checks,
// assumptions, awaits, mutexes, condition variables, barriers, and branches with these.
func (g *generator) inside(n, depth int) []Stmt {
	var out []Stmt
	for range n {
		s := g.statement()
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

// sync returns a statement of profile Sync, and what it counts for.
func (g *generator) sync(n, depth int) (Stmt, int) {
	s := g.statement()
	s.Val = int64(g.r.IntN(2))
	kinds := []Kind{Locked, Locked, TryLock, Wait, Signal, Bcast, Barrier}
	if g.pr.Waits {
		s.Val = int64(g.r.IntN(3))
		s.RMW = []ir.RMWKind{ir.Xchg, ir.FetchAdd, ir.Cas}[g.r.IntN(3)]
		kinds = append(kinds, RmwWait, RmwWait, Locked)
	}
	if g.pr.Nested {
		return g.nested(s, n, depth)
	}
	if g.pr.Words && g.r.IntN(3) == 0 {
		return g.intoWord(s), 1
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

// nested returns a statement of profile Nested: a recursive mutex that is taken again after a store, or
// tried and then a load.
func (g *generator) nested(s Stmt, n, depth int) (Stmt, int) {
	s.Val = 1
	s.Kind = []Kind{Locked, TryLock}[g.r.IntN(2)]
	access := func(k Kind) Stmt {
		a := g.statement()
		a.Kind = k
		return a
	}
	switch {
	case n > 3 && depth == 0 && s.Kind == Locked:
		inner := s
		inner.Kind = []Kind{Locked, TryLock}[g.r.IntN(2)]
		inner.Body = []Stmt{access(Load)}
		s.Body = []Stmt{access(Store), inner}
		if g.pr.Waits {
			s.Body[0].Kind, s.Body[0].Val = StoreMutex, []int64{0, 1, 2, 1 | 1<<32, 2 | 1<<32}[g.r.IntN(5)]
		}
		return s, 4
	case n > 1 && depth < 2:
		s.Body = []Stmt{access(Load)}
		return s, 2
	}
	return s, 1
}

// spin returns a spin loop, or a loop of any number of rounds around a load or a spin
// loop, without stores.
func (g *generator) spin(s Stmt, n, depth int) (Stmt, int) {
	s.Kind = []Kind{Spin, SpinCas, SpinTwo, SpinTry, Loop}[g.r.IntN(5)]
	switch {
	case s.Kind == SpinTry && n > 1:
		s.Body = g.section(1)
		return s, 2
	case s.Kind == Loop && n > 1 && depth < 2:
		inner := g.statement()
		inner.Kind = []Kind{Load, Spin, SpinTwo, SpinCas}[g.r.IntN(4)]
		s.Body = []Stmt{inner}
		return s, 2
	case s.Kind == Loop:
		s.Kind = SpinTwo
	}
	return s, 1
}

// reuse returns a statement of profile Reuse, and what it counts for: a block for a while, or one that is
// handed on.
func (g *generator) reuse(n int) (Stmt, int) {
	s := g.statement()
	s.Size, s.Off = varSize, 0
	if n > 1 && g.r.IntN(3) == 0 {
		s.Kind, s.Var = Swap, Vars-1
		return s, 2
	}
	s.Kind = Scratch
	for range g.r.IntN(min(3, n)) {
		other := g.statement()
		switch g.r.IntN(5) {
		case 0, 1:
			other.Kind, other.Reg = Deref, s.Reg
		case 2, 3:
			other.Kind, other.Reg, other.Reg2 = LoadAt, (s.Reg+1)%Regs, s.Reg
		default:
			other.Kind, other.Reg = []Kind{Load, Store}[g.r.IntN(2)], (s.Reg+1)%Regs
		}
		s.Body = append(s.Body, other)
	}
	return s, 1 + len(s.Body)
}

// heap returns a statement of profile Heap.
func (g *generator) heap() Stmt {
	s := g.statement()
	s.Size, s.Off = varSize, 0
	if g.pointers == 0 || g.r.IntN(4) == 0 {
		if g.r.IntN(3) == 0 { // load a block that another thread may have published
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
		s.Kind = StoreReg // publish the block
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
