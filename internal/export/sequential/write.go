package sequential

// A flat program as a sequential program in C: lazy sequentialization with a shared memory abstraction [TNIFLP16]. Each
// thread is a function that goes on where it stopped, and stops again at a point that is chosen freely; run calls the
// threads in turn, for a number of rounds. All accesses to memory are calls of a small runtime, which is SC, TSO or PSO.
// Whatever is free is a call of choose.
//
// The program is the one that engine bmc encodes, with the same bounds: unrolled, so that a thread comes to a location at
// most once, and with the same cells of memory. An operation that would have to wait excludes the execution, because its
// thread could have stopped before it. An assumption that does not hold, and a bound, stop their thread for ever.

import (
	"fmt"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/export/cexpr"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Sequence is a program whose rounds are planned.
type Sequence struct {
	Program *ir.Program
	Props   *property.Set
	Model   string // sc, tso or pso
	Rounds  int    // the main thread has one turn more
	Times   int    // times at which stores can reach memory
	Kept    int    // writes to a cell that are kept, one of them in memory
	Cells   []Cell
	Blocks  []Block
	Heap    []uint64          // by thread: where its blocks begin
	Unit    int               // what the distances of blocks are a multiple of
	Order   [][]ir.Loc        // by thread: the locations that it can reach
	Stops   []map[ir.Loc]bool // by thread: where it can be stopped
}

// Cell is a piece of memory that is kept as one word.
type Cell struct {
	Addr  uint64
	Size  int
	User  ir.ThreadID // the only thread that accesses it, or NoThread
	Tight bool        // more stores to it than are kept can wait
}

// Block is a block that can be allocated.
type Block struct {
	Addr  uint64
	Size  int
	Stack bool
}

// sequential writes one program.
type sequential struct {
	export.Refuser
	Sequence
	names   export.Namer
	threads []*sequentialThread
	regs    []string // declarations of registers
	inits   []string // initial values of registers
	sites   []Site
	numbers map[Site]int // of sites
	entries int          // stores and frees that can wait
}

const sequentialNames = " run store load put arrivals tick stop rest fail state start choose choose_stop any_number memory cells find made given excluded mode depth known drained store_fence all_in_memory wait_until land block_at is_freed enter allocate beginning free_later blocks heap finish"

// Write returns a program as sequential C, and the sites of its choices. If there are refusals, the text is empty.
func Write(in Sequence) (string, []Site, []export.Refusal) {
	w := &sequential{Sequence: in, numbers: map[Site]int{}, names: export.NewNamer(cexpr.Words + sequentialNames)}
	if w.RefuseAlways(in.Program, "sequential C") {
		return "", nil, w.Refusals
	}
	for t := range in.Program.Threads {
		w.addThread(ir.ThreadID(t))
	}
	var body strings.Builder
	for _, t := range w.threads {
		t.write(&body)
	}
	if in.Props.Deadlock {
		w.peek(&body)
		for _, t := range w.threads {
			t.blocked(&body)
		}
	}
	w.run(&body)
	if len(w.Refusals) > 0 {
		return "", nil, w.Refusals
	}
	var out strings.Builder
	w.header(&out)
	out.WriteString(body.String())
	out.WriteString(sequentialMain)
	return out.String(), w.sites, nil
}

// header writes everything before the threads.
func (w *sequential) header(out *strings.Builder) {
	p := w.Program
	fmt.Fprintf(out, sequentialHeader, export.Comment(p.Name), strings.ToUpper(w.Model), len(p.Threads), max(1, len(w.Cells)), w.Rounds, w.Times, w.Kept, max(1, len(w.sites)))
	w.listSites(out)
	out.WriteString(sequentialChoices)
	if cexpr.Divides(p) {
		out.WriteString(strings.ReplaceAll(cexpr.Division, "static inline", "static UNUSED") + "\n")
	}
	if w.Model != "sc" {
		out.WriteString("struct write {\n  uint64_t value, mask;\n  int time;\n};\n\n")
	}
	if len(w.Blocks) > 0 {
		fmt.Fprintf(out, "enum { BLOCKS = %d, ENTRIES = %d, UNIT = %d };\n\nstruct entry {\n  int thread, frees, time;\n  const char *where;\n};\n\n", len(w.Blocks), max(1, w.entries), w.Unit)
	}
	w.state(out)
	w.table(out)
	switch w.Model {
	case "sc":
		out.WriteString(sequentialSC)
	case "tso":
		fmt.Fprintf(out, sequentialBuffers, "TSO", sequentialTSO)
	case "pso":
		fmt.Fprintf(out, sequentialBuffers, "PSO", sequentialPSO)
	default:
		panic("BUG: unknown model " + w.Model)
	}
	if len(w.Blocks) > 0 {
		out.WriteString(sequentialHeap)
		if w.Model != "sc" {
			out.WriteString(sequentialFree)
		}
	}
	w.finish(out)
	out.WriteString("/* A thread stops at a location, or goes on. */\nstatic UNUSED int stop(int t, int at, int site) {\n  s.pc[t] = s.at[t] = at;\n  return choose_stop(site, s.round);\n}\n\n")
	out.WriteString("/* A thread stays at a location for ever. */\nstatic UNUSED void rest(int t, int at) {\n  s.pc[t] = -1;\n  s.at[t] = at;\n}\n\n")
}

// state writes the state of a run, and its beginning.
func (w *sequential) state(out *strings.Builder) {
	out.WriteString("static struct state {\n  int round, halted;\n  int pc[THREADS]; /* where a thread goes on; -1: nowhere */\n  int at[THREADS]; /* where it rests */\n")
	out.WriteString("  int started[THREADS], ended[THREADS], joined[THREADS];\n  uint64_t meets[THREADS]; /* the barrier that holds it */\n  int64_t result[THREADS];\n  uint64_t memory[CELLS];\n")
	if w.Props.Deadlock {
		out.WriteString("  uint64_t sleeps[THREADS]; /* the condition that it waits for */\n")
	}
	if w.Model != "sc" {
		out.WriteString("  struct write waiting[CELLS][KEPT - 1]; /* stores that have not reached memory */\n  int count[CELLS];\n")
		out.WriteString("  int latest[THREADS], floor[THREADS];\n  uint64_t newest[THREADS][CELLS];\n  int newest_time[THREADS][CELLS][8];\n")
	}
	if len(w.Blocks) > 0 {
		out.WriteString("  int exists[BLOCKS], dead[BLOCKS], entries[BLOCKS];\n  struct entry entering[BLOCKS][ENTRIES]; /* stores and frees that have not reached memory */\n  uint64_t used[THREADS];\n")
	}
	out.WriteString("  int now;\n")
	for _, r := range w.regs {
		fmt.Fprintf(out, "  %s\n", r)
	}
	out.WriteString("} s;\n\nstatic const struct state start = {\n")
	w.initial(out)
	out.WriteString("};\n\n")
}

// table writes the cells and blocks.
func (w *sequential) table(out *strings.Builder) {
	p := w.Program
	out.WriteString("static const struct {\n  uint64_t address;\n  int size;\n  int user;  /* the only thread that accesses it, or -1 */\n  int tight; /* stores to it can need more room than there is */\n} cells[CELLS] UNUSED = {\n")
	for i, c := range w.Cells {
		fmt.Fprintf(out, "  {%dU, %d, %d, %d}, /* %d: %s */\n", c.Addr, c.Size, c.User, export.Truth(c.Tight), i, export.Comment(p.LocationName(c.Addr, c.Size)))
	}
	if len(w.Cells) == 0 {
		out.WriteString("  {0, 0, -1, 0},\n")
	}
	out.WriteString("};\n\nstatic UNUSED int find(uint64_t address, int size) {\n  for (int c = 0; c < CELLS; c++)\n    if (address >= cells[c].address && address + (uint64_t)size <= cells[c].address + (uint64_t)cells[c].size)\n      return c;\n  return -1;\n}\n\n")
	if len(w.Blocks) == 0 {
		return
	}
	out.WriteString("static const struct {\n  uint64_t address, size;\n  int stack;\n} blocks[BLOCKS] = {\n")
	for _, b := range w.Blocks {
		fmt.Fprintf(out, "  {%dU, %d, %d},\n", b.Addr, b.Size, export.Truth(b.Stack))
	}
	out.WriteString("};\n\nstatic const uint64_t heap[THREADS] = {")
	for i, addr := range w.Heap {
		if i > 0 {
			out.WriteString(", ")
		}
		fmt.Fprintf(out, "%dU", addr)
	}
	out.WriteString("};\n\n")
}

// finish writes how all stores reach memory at the end.
func (w *sequential) finish(out *strings.Builder) {
	out.WriteString("/* In the end all stores are in memory. */\nstatic void finish(void) {\n  s.now = TIMES;\n")
	if len(w.Blocks) > 0 {
		out.WriteString("  for (int b = 0; b < BLOCKS; b++)\n    land(b);\n")
	}
	out.WriteString("}\n\n")
}

// initial writes the first state.
func (w *sequential) initial(out *strings.Builder) {
	list := func(name string, value func(i int) string, n int) {
		var vals []string
		for i := range n {
			vals = append(vals, value(i))
		}
		fmt.Fprintf(out, "  .%s = {%s},\n", name, strings.Join(vals, ", "))
	}
	p := w.Program
	list("pc", func(i int) string { return fmt.Sprint(p.Funcs[p.Threads[i].Func].Entry) }, len(p.Threads))
	list("at", func(int) string { return "-1" }, len(p.Threads))
	list("started", func(i int) string { return fmt.Sprint(export.Truth(p.Threads[i].Start)) }, len(p.Threads))
	if len(w.Cells) > 0 {
		list("memory", func(i int) string {
			return fmt.Sprintf("%dU", uint64(export.InitialValue(p, w.Cells[i].Addr, ir.Type{Bits: uint8(8 * w.Cells[i].Size)})))
		}, len(w.Cells))
	}
	for _, r := range w.inits {
		fmt.Fprintf(out, "  %s\n", r)
	}
}

// run writes the rounds and the questions about the last state.
func (w *sequential) run(out *strings.Builder) {
	out.WriteString("static void run(void) {\n  int UNUSED drained_before;\n  for (s.round = 0; s.round < ROUNDS; s.round++) {\n")
	call := func(t *sequentialThread, indent string) {
		fmt.Fprintf(out, "%sif (s.started[%d] && !s.halted)\n%s  %s();\n", indent, t.id, indent, t.name)
	}
	for _, t := range w.threads {
		call(t, "    ")
	}
	out.WriteString("  }\n")
	if m := w.Program.Main; m != ir.NoThread {
		call(w.threads[m], "  ")
	}
	out.WriteString("  drained_before = all_in_memory();\n  finish();\n")
	for i := range w.Props.Goals {
		w.goal(out, &w.Props.Goals[i])
	}
	if f := w.Props.Final; f != nil {
		cond := w.cond(f.Cond)
		if f.Quantifier == property.Forall {
			cond = cexpr.Expr{Text: "!" + cond.Operand(), Atom: true}
		}
		fmt.Fprintf(out, "  if (%s && %s)\n    fail(%s);\n", w.allEnded(), cond.Operand(), cexpr.Quote(fmt.Sprintf("%s %s", f.Quantifier, f.Cond.Text)))
	}
	if w.Props.Deadlock {
		w.deadlock(out)
	}
	out.WriteString("}\n")
}

// allEnded returns the condition that all threads that were started have ended.
func (w *sequential) allEnded() string {
	var all []string
	for _, t := range w.threads {
		all = append(all, fmt.Sprintf("(!s.started[%d] || %s)", t.id, t.hasEnded()))
	}
	return strings.Join(all, " && ")
}

// goal writes the question about a goal. A thread rests inside a section only for a goal.
func (w *sequential) goal(out *strings.Builder, g *property.Goal) {
	var at []string
	inside := false
	for _, a := range g.At {
		var here []string
		for _, l := range a.Locs {
			here = append(here, fmt.Sprintf("s.at[%d] == %d", a.Thread, l))
			inside = inside || w.threads[a.Thread].inside[l]
		}
		at = append(at, "("+strings.Join(here, " || ")+")")
	}
	if g.With != nil {
		at = append(at, w.cond(g.With).Operand())
	}
	if inside && g.MentionsMemory() {
		at = append(at, "(!s.halted || drained_before)")
	}
	fmt.Fprintf(out, "  if (%s)\n    fail(%s);\n", strings.Join(at, " && "), cexpr.Quote("goal "+g.Name))
}

// cond returns a condition on the last state.
func (w *sequential) cond(c *property.Cond) cexpr.Expr {
	in := cexpr.Names{}
	for _, v := range c.Vars {
		if !v.IsMemory() {
			in.Regs = append(in.Regs, w.threads[v.Thread].names.Regs[v.Reg])
			continue
		}
		id, shift, ok := w.cell(v.Addr, v.Type.Size())
		if !ok {
			panic("BUG: a condition about memory that is not tracked")
		}
		in.Regs = append(in.Regs, cexpr.Expr{Text: fmt.Sprintf("memory(%d) >> %d", id, shift), Atom: false}.Cast(v.Type).Text)
	}
	return in.Expr(c.Expr)
}

// cell returns the cell that has some bytes, and the number of the first bit.
func (w *sequential) cell(addr uint64, size int) (id, shift int, ok bool) {
	for i, c := range w.Cells {
		if addr >= c.Addr && addr+uint64(size) <= c.Addr+uint64(c.Size) {
			return i, 8 * int(addr-c.Addr), true
		}
	}
	return 0, 0, false
}
