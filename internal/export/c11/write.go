package c11

// A flat program as plain C11 with pthreads and atomics: objects are atomic variables, a thread is a function whose
// locations are labels, and main starts the threads, joins them and asks what the program asks.
//
// An operation that waits is an assumption about what it reads: an execution in which it waits longer is another one, in
// which it comes later. A goal is about states on the way: at a location that a goal names a thread may stop for
// ever, and main waits for the threads of a goal only. A thread that stops has no more effect than one that is not
// scheduled any more, so what main sees is a state of the program.

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/export/cexpr"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// maxCells bounds the cells of mem that are kept.
const maxCells = 4096

// cProgram writes one program.
type cProgram struct {
	export.Refuser
	p     *ir.Program
	props *property.Set
	names export.Namer
	vars  []cVar // by object

	low, high int64 // the cells of mem that are kept
	mem       string
	threads   []*cThread
	results   []string // declarations of what threads leave for main
}

// cVar is the variable of an object.
type cVar struct {
	name  string
	typ   ir.Type // of an element
	count int64
	used  bool
}

// Write returns a flat program and its properties as C11. If there are refusals, the text is empty.
func Write(p *ir.Program, props *property.Set) (string, []export.Refusal) {
	w := &cProgram{p: p, props: props, names: export.NewNamer(cexpr.Words)}
	if w.RefuseAlways(p, "C") {
		return "", w.Refusals
	}
	if props.Deadlock {
		w.Refuse(p.Threads[0].Pos, "a question about deadlocks cannot be exported to C")
	}
	w.layOut()
	watched := w.watched()
	for t := range p.Threads {
		w.addThread(ir.ThreadID(t), watched)
	}
	var body strings.Builder
	for _, t := range w.threads {
		t.write(&body)
	}
	w.main(&body)
	return w.Text(body.String(), w.header, w.globals)
}

// layOut chooses the variables of objects and the cells of mem.
func (w *cProgram) layOut() {
	window := false
	keep := func(from, to int64) {
		if !window {
			w.low, w.high, window = from, to, true
		}
		w.low, w.high = min(w.low, from), max(w.high, to)
	}
	for i := range w.p.Objects {
		o := &w.p.Objects[i]
		if o.Cells {
			keep(int64(o.Addr)/ir.CellUnit, (int64(o.Addr)+o.Size)/ir.CellUnit)
			w.vars = append(w.vars, cVar{})
			continue
		}
		v := cVar{name: w.names.Name(o.Name), typ: export.ElementType(o)}
		if !v.typ.Valid() || o.Size%int64(v.typ.Size()) != 0 {
			v.typ = ir.U8
		}
		v.count = o.Size / int64(v.typ.Size())
		w.vars = append(w.vars, v)
	}
	for _, th := range w.p.Threads {
		f := w.p.Funcs[th.Func]
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if !op.Accesses() {
				continue
			}
			op.Addr.Walk(func(e *ir.Expr) {
				if v, ok := e.IsConst(); ok && w.p.Cells && e == op.Addr && v%ir.CellUnit == 0 && abs(v/ir.CellUnit) < ir.CellLimit && w.p.FindObject(uint64(v), ir.CellUnit) == ir.NoObject {
					keep(v/ir.CellUnit, v/ir.CellUnit+1)
				}
			})
		}
	}
	if window {
		w.mem = "mem"
		if w.high-w.low > maxCells {
			w.Refuse(w.p.Threads[0].Pos, "the cells mem[%d] to mem[%d] are too far from each other: at most %d are kept", w.low, w.high-1, maxCells)
		}
	}
}

func abs(v int64) int64 { return max(v, -v) }

// watched returns the registers that goals and the final condition read.
func (w *cProgram) watched() map[export.Register]bool {
	out := map[export.Register]bool{}
	add := func(c *property.Cond) {
		for _, v := range c.Vars {
			if !v.IsMemory() {
				out[export.Register{Thread: v.Thread, Reg: v.Reg}] = true
			}
		}
	}
	for _, g := range w.props.Goals {
		if g.With != nil {
			add(g.With)
		}
	}
	if w.props.Final != nil {
		add(w.props.Final.Cond)
	}
	return out
}

const cHeader = `/*
 * %s, written by fencepost as C11.
 *
 * For verifiers:      as it is; the functions __VERIFIER_* are theirs
 * To run it:          gcc -std=c11 -pthread -DRUN FILE.c && ./a.out
 * To find data races: gcc -std=c11 -pthread -DRUN -fsanitize=thread FILE.c
 *
%s */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

`

const cVerifier = `#ifdef RUN /* choices at random, and an execution that an assumption excludes ends */
#define __VERIFIER_assume(c) do { if (!(c)) _Exit(0); } while (0)
#define __VERIFIER_nondet_bool() (rand() & 1)
#define __VERIFIER_nondet_long() ((long)(rand() & 7) - 1)
#define AWAIT(c) do { } while (!(c))
static pthread_mutex_t section = PTHREAD_MUTEX_INITIALIZER;
static inline void __VERIFIER_atomic_begin(void) { pthread_mutex_lock(&section); }
static inline void __VERIFIER_atomic_end(void) { pthread_mutex_unlock(&section); }
#else
extern void __VERIFIER_assume(int);
extern _Bool __VERIFIER_nondet_bool(void);
extern long __VERIFIER_nondet_long(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
#define AWAIT(c) __VERIFIER_assume(c)
#endif

`

func (w *cProgram) header(out *strings.Builder) {
	var notes []string
	if f := w.props.Final; f != nil && f.Quantifier == property.Exists {
		notes = append(notes, "The assertion in main fails where the condition holds: a failure means OBSERVED.")
	}
	if len(w.props.Goals) > 0 {
		notes = append(notes, "At a location that a goal names a thread may stop; an assertion of main fails where a goal is reached.")
	}
	if w.mem != "" {
		notes = append(notes, fmt.Sprintf("Of mem the cells %d to %d are kept; an assertion \"outside mem\" that fails is no answer.", w.low, w.high-1))
	}
	if len(notes) == 0 {
		notes = append(notes, "An assertion that fails is one of the program, or its condition on final states.")
	}
	fmt.Fprintf(out, cHeader, export.Comment(w.p.Name), " * "+strings.Join(notes, "\n * ")+"\n")
	out.WriteString(cVerifier)
	if cexpr.Divides(w.p) {
		out.WriteString(cexpr.Division + "\n")
	}
}

func (w *cProgram) globals(out *strings.Builder) {
	for i := range w.vars {
		v, o := &w.vars[i], &w.p.Objects[i]
		if o.Cells || !v.used {
			continue
		}
		fmt.Fprintf(out, "static _Atomic %s %s", export.IntType(v.typ), v.name)
		if v.count > 1 {
			fmt.Fprintf(out, "[%d]", v.count)
		}
		if slices.ContainsFunc(o.Init, func(b byte) bool { return b != 0 }) {
			var vals []string
			for k := range v.count {
				vals = append(vals, cexpr.Number(export.InitialValue(w.p, o.Addr+uint64(k)*uint64(v.typ.Size()), v.typ)).Text)
			}
			text := strings.Join(vals, ", ")
			if v.count > 1 {
				text = "{" + text + "}"
			}
			fmt.Fprintf(out, " = %s", text)
		}
		out.WriteString(";\n")
	}
	if w.mem != "" {
		fmt.Fprintf(out, "static _Atomic int64_t mem[%d]; /* mem[i] is cell %d + i */\n", w.high-w.low, w.low)
	}
	for _, r := range w.results {
		out.WriteString(r)
	}
	out.WriteByte('\n')
}

// main starts the threads, and asks about goals and final states.
func (w *cProgram) main(out *strings.Builder) {
	fmt.Fprintf(out, "int main(void) {\n  pthread_t threads[%d];\n", len(w.threads))
	for i, t := range w.threads {
		fmt.Fprintf(out, "  pthread_create(&threads[%d], NULL, %s, NULL);\n", i, t.name)
	}
	for i := range w.props.Goals {
		g := &w.props.Goals[i]
		fmt.Fprintf(out, "  if (__VERIFIER_nondet_bool()) { /* goal %s */\n", export.Comment(g.Name))
		w.goal(out, g)
		out.WriteString("    return 0;\n  }\n")
	}
	for i, t := range w.threads {
		fmt.Fprintf(out, "  pthread_join(threads[%d], NULL);\n", i)
		if t.stops {
			fmt.Fprintf(out, "  __VERIFIER_assume(!%s_stopped);\n", t.name)
		}
	}
	if f := w.props.Final; f != nil {
		cond := w.cond(out, f.Cond, "  ")
		if f.Quantifier != property.Forall {
			cond = cexpr.Expr{Text: "!" + cond.Operand(), Atom: true}
		}
		fmt.Fprintf(out, "  assert(%s); /* %s %s */\n", cond.Text, f.Quantifier, export.Comment(f.Cond.Text))
	}
	out.WriteString("  return 0;\n}\n")
}

// goal joins the threads of a goal and asserts that they are not where it wants them.
func (w *cProgram) goal(out *strings.Builder, g *property.Goal) {
	joined := map[ir.ThreadID]bool{}
	var at []string
	for _, a := range g.At {
		t := w.threads[a.Thread]
		if joined[a.Thread] {
			w.Refuse(g.Pos, "a goal that names a thread twice cannot be exported to C")
			return
		}
		joined[a.Thread] = true
		fmt.Fprintf(out, "    pthread_join(threads[%d], NULL);\n", a.Thread)
		var here []string
		for _, l := range a.Locs {
			here = append(here, fmt.Sprintf("%s_at == %d", t.name, t.atCode(l)))
		}
		if len(here) > 1 {
			at = append(at, "("+strings.Join(here, " || ")+")")
		} else {
			at = append(at, here...)
		}
	}
	if g.With != nil {
		for _, v := range g.With.Vars {
			if !v.IsMemory() && !joined[v.Thread] {
				w.Refuse(g.Pos, "a goal about a register of a thread that it says nothing else about cannot be exported to C")
				return
			}
		}
		at = append(at, w.cond(out, g.With, "    ").Operand())
	}
	if len(at) == 0 {
		at = []string{"1"}
	}
	fmt.Fprintf(out, "    assert(!(%s));\n", strings.Join(at, " && "))
}

// cond returns a condition on what threads have left and on memory, which is loaded first, in one step.
func (w *cProgram) cond(out *strings.Builder, c *property.Cond, indent string) cexpr.Expr {
	in := cexpr.Names{}
	var loads []string
	for i, v := range c.Vars {
		if !v.IsMemory() {
			in.Regs = append(in.Regs, w.threads[v.Thread].left(v.Reg))
			continue
		}
		name := fmt.Sprintf("v%d", i)
		in.Regs = append(in.Regs, name)
		lvalue, ok := w.fixed(v.Addr, v.Type.Size())
		if !ok {
			w.Refuse(w.p.Threads[0].Pos, "%s of a condition is no part of an object that C can name", v.Name)
			return cexpr.Expr{Text: "0", Atom: true}
		}
		fmt.Fprintf(out, "%sint64_t %s;\n", indent, name)
		loads = append(loads, fmt.Sprintf("%s%s = %s;\n", indent, name, cexpr.Expr{Text: fmt.Sprintf("atomic_load_explicit(%s, memory_order_relaxed)", lvalue.address()), Atom: true}.Narrow64(v.Type)))
	}
	if len(loads) > 1 && len(w.props.Goals) > 0 {
		loads = append(append([]string{indent + "__VERIFIER_atomic_begin();\n"}, loads...), indent+"__VERIFIER_atomic_end();\n")
	}
	out.WriteString(strings.Join(loads, ""))
	return in.Expr(c.Expr)
}
