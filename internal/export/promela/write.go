package promela

// A flat program as Promela. Each thread is a process: its locations are labels, and
// each edge is one atomic step (d_step, or atomic if a value is picked)
// followed by a jump. Memory is one array of integers, one slot per element of
// an object, so that an entry of a store buffer is a slot and a value. Registers
// that are not live are set to 0, as in our search, so that SPIN and our search
// merge the same states.

import (
	"fmt"
	"strings"

	"fencepost/internal/analysis"
	"fencepost/internal/export"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// Model is a memory model that can be exported. The zero value is unset.
type Model uint8

// The models.
const (
	_   Model = iota
	SC        // no buffers
	TSO       // one buffer per thread
)

func (m Model) String() string {
	switch m {
	case SC:
		return "sc"
	case TSO:
		return "tso"
	default:
		panic(fmt.Sprintf("BUG: unknown model %d", m))
	}
}

// ParseModel returns the model with a name.
func ParseModel(name string) (Model, bool) {
	for _, m := range []Model{SC, TSO} {
		if m.String() == name {
			return m, true
		}
	}
	return 0, false
}

// Options are the options of an export.
type Options struct {
	Model Model
	// Buffer bounds the entries of a thread's store buffer, for threads that can
	// store in a loop.
	Buffer int
	// FaultsStop makes a thread that makes an error (such as a wrong address) stop there,
	// without a violation.
	FaultsStop bool
}

// Limits of the programs that SPIN can check.
const (
	maxThreads = 100  // SPIN runs up to 255 processes, a thread may need two
	maxSlots   = 4096 // slots of memory, all part of SPIN's state
	maxPending = 64   // entries of a buffer, all part of SPIN's state
)

// promela writes one program. The boolean fields up to temps say which declarations the
// text needs.
type promela struct {
	p     *ir.Program
	props *property.Set
	opt   Options
	facts *analysis.Facts

	layout  layout
	names   export.Namer
	threads []*thread

	sections bool // some thread has an atomic section
	exits    bool // some thread ends the program
	stopped  bool // an assumption can stop a thread, which is no deadlock
	ends     bool // a final condition needs the number of running threads
	results  bool // a join reads a result
	destroys bool // some thread may destroy a mutex
	joins    bool // some thread joins another
	window   bool // an access may lie outside the window of cells
	temps    bool // a read-modify-write needs temporary variables

	export.Refuser
	pos source.Span // the position of the construct that is being translated
}

// Write returns a flat program and its properties as a Promela text for SPIN. If there
// are refusals, the text is empty.
func Write(p *ir.Program, props *property.Set, opt Options) (string, []export.Refusal) {
	w := &promela{p: p, props: props, opt: opt, names: export.NewNamer(promelaWords)}
	if len(p.Threads) > maxThreads {
		w.Refuse(p.Threads[maxThreads].Pos, "more than %d threads: SPIN runs at most 255 processes", maxThreads)
		return "", w.Refusals
	}
	if w.RefuseAlways(p, "Promela") {
		return "", w.Refusals
	}
	w.analyse()
	w.layOut()
	if len(w.Refusals) > 0 {
		return "", w.Refusals
	}
	for _, t := range w.threads {
		w.stopped = w.stopped || w.stops(t)
	}
	var processes strings.Builder
	for _, t := range w.threads {
		w.process(&processes, t)
		w.flusher(&processes, t)
	}
	monitorsOf(w).write(&processes)
	return w.Text(processes.String(), w.header, w.globals)
}

// analyse finds the features that the program uses, before any text is written.
func (w *promela) analyse() {
	p := w.p
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			switch op := &f.Edges[i].Op; op.Kind {
			case ir.AtomicBegin:
				w.sections = true
			case ir.Exit:
				w.exits = true
			case ir.Store:
				v, ok := op.Val.IsConst()
				w.destroys = w.destroys || ok && v == ir.DestroyedMutex && op.Type.Bits == 64
			case ir.Join:
				w.joins = true
				w.results = w.results || op.Dst != ir.NoReg
			}
		}
	}
	watched := monitorsOf(w).watched()
	w.facts = analysis.NewFacts(p, func(f ir.FuncID, r ir.Reg) bool {
		for t := range p.Threads {
			if p.Threads[t].Func == f && watched[export.Register{Thread: ir.ThreadID(t), Reg: r}] {
				return true
			}
		}
		return false
	})
	w.ends = w.props.Final != nil
	for t := range p.Threads {
		w.addThread(ir.ThreadID(t), watched)
	}
}

const headerText = `/*
 * %s: %s
 *
 * Written by fencepost for SPIN. To run it:
 *   spin -a FILE.pml
 *   gcc -O2 -DSAFETY -DVECTORSZ=%d -fsanitize=signed-integer-overflow,shift -fsanitize-undefined-trap-on-error -o pan pan.c
 *   ./pan -m1000000
 * Read the answer in the line "errors:". If pan says that the search depth was
 * too small, that memory ran out, or ends with a trap (a value did not fit
 * into 32 bits), there is no answer.
 *
%s */

`

// header writes the comment at the beginning of the text.
func (w *promela) header(out *strings.Builder) {
	model := "sequential consistency"
	if w.opt.Model == TSO {
		model = "TSO, store buffers as variables"
	}
	var notes strings.Builder
	note := func(format string, args ...any) { fmt.Fprintf(&notes, " * "+format+"\n", args...) }
	if f := w.props.Final; f != nil {
		switch f.Quantifier {
		case property.Exists:
			note("exists: an assertion violated in process final means OBSERVED, errors: 0 means not observed.")
		default:
			note("%s: an assertion violated in process final is a final state against the condition.", f.Quantifier)
		}
	}
	if len(w.props.Goals) > 0 {
		note("An assertion violated in process goal is a goal state that was reached.")
	}
	if w.props.Deadlock {
		note("An invalid end state is a deadlock: nothing can happen, a thread waits, and no assumption has stopped one.")
	} else {
		note("Threads that are stuck are no error: their locations are marked as valid end states.")
	}
	for _, t := range w.threads {
		if t.bounded {
			note("Buffer bound: a store of %s waits while %d stores are pending; more are not covered.", t.title, t.room)
		}
	}
	if w.window {
		note("An assertion violated that speaks of outside_window is no answer: mem[e] was used with an e that")
		note("is not among the cells %d..%d kept here.", w.layout.low, w.layout.high-1)
	}
	for _, line := range w.bounds() {
		note("%s", line)
	}
	if notes.Len() == 0 {
		note("")
	}
	fmt.Fprintf(out, headerText, export.Comment(w.p.Name), model, w.vectorSize(), notes.String())
}

// bounds returns a line for each Bound edge: executions that reach it are not covered.
func (w *promela) bounds() []string {
	var out []string
	for _, t := range w.threads {
		for i := range t.f.Edges {
			if e := &t.f.Edges[i]; e.Op.Kind == ir.Bound {
				out = append(out, fmt.Sprintf("Bound %s of %s: paths that go beyond it are not covered.", export.Comment(e.Op.Report.Msg), t.title))
			}
		}
	}
	return out
}

// vectorSize returns a number of bytes that suffices for a state of SPIN: the variables,
// and some room for each process.
func (w *promela) vectorSize() int {
	bytes := 4*w.layout.slots + 256
	for _, t := range w.threads {
		bytes += 32 + 7*t.room + 4*len(t.f.Regs)
	}
	size := 1024
	for size < bytes {
		size *= 2
	}
	return size
}

// globals declares the variables that processes share.
func (w *promela) globals(out *strings.Builder) {
	w.layout.declare(out)
	if w.sections {
		out.WriteString("byte holder; /* 1 + the thread inside an atomic section, 0: none */\n")
	}
	if w.exits {
		out.WriteString("bool over; /* a thread has ended the program */\n")
	}
	if w.stopped {
		out.WriteString("bool assumed_away; /* an assumption has stopped a thread for good */\n")
	}
	if w.ends {
		running := 0
		for _, t := range w.threads {
			if t.start && !t.f.Ends(t.f.Entry) {
				running++
			}
		}
		fmt.Fprintf(out, "byte running = %d; /* threads that have started and not ended */\n", running)
	}
	if w.window {
		out.WriteString("bool outside_window;\n")
	}
	if w.temps {
		out.WriteString("hidden int old_value, new_value, wrote; /* inside one step only */\n")
	}
	for _, t := range w.threads {
		w.declareThread(out, t)
		w.declareBuffer(out, t)
	}
	out.WriteByte('\n')
}
