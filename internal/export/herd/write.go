package herd

// A small flat program as a litmus test for X86_64, in the format of herd7: a column of instructions per thread, and a
// condition on final states. A litmus test has no other states than final ones, so whatever stops a thread ends it here,
// and a register of the thread, its status, says how: a waiting operation is tried once, and a thread that would have to
// wait ends with the status stopped; an assertion that fails ends its thread with the status failed. The filter of the
// test leaves out final states in which a thread was stopped, unless an assertion failed. That is exact: an operation that
// waits has no effect until it succeeds, so an execution in which it succeeds at once is among those of the test.

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/analysis"
	"fencepost/internal/export"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// litmusWords lists names that mean something else in a litmus test.
const litmusWords = `exists forall final not with locations filter observed true false and or int char short long byte word dword qword ptr
rip rax rbx rcx rdx rsi rdi rbp rsp eax ebx ecx edx esi edi ebp esp ax bx cx dx si di bp sp al bl cl dl ah bh ch dh sil dil bpl spl
r8 r9 r10 r11 r12 r13 r14 r15 lock`

// The values of a status.
const (
	stopped = 1
	failed  = 2
)

// litmusTest writes one program.
type litmusTest struct {
	export.Refuser
	p     *ir.Program
	props *property.Set
	facts *analysis.Facts
	cells map[cell]string // the variable of an element
	whole map[ir.ObjectID]string
	names export.Namer
	decls []string // items of the initial state
	notes []string // what the names stand for
	cols  []*column
}

// cell is an element of memory that is always accessed as a whole.
type cell struct {
	addr uint64
	size int
}

// Write returns a flat program and its properties as a litmus test for X86_64. If there are refusals, the text is empty.
func Write(p *ir.Program, props *property.Set) (string, []export.Refusal) {
	p, props, refusals := withoutMain(p, props)
	if len(refusals) > 0 {
		return "", refusals
	}
	w := &litmusTest{p: p, props: props, names: export.NewNamer(litmusWords), cells: map[cell]string{}, whole: map[ir.ObjectID]string{}}
	if w.RefuseAlways(p, "a litmus test") || w.refuseQuestions() {
		return "", w.Refusals
	}
	watched := w.watched()
	w.facts = analysis.NewFacts(p, func(f ir.FuncID, r ir.Reg) bool {
		return slices.ContainsFunc(watched, func(v property.Var) bool { return p.Threads[v.Thread].Func == f && v.Reg == r })
	})
	w.layOut()
	for t := range p.Threads {
		if fn := p.Threads[t].Func; w.asserts() && w.facts.Cyclic(fn) {
			w.Refuse(p.Funcs[fn].Pos, "a loop beside assertions cannot be exported to a litmus test unless it is unrolled")
		}
		w.addColumn(ir.ThreadID(t))
	}
	cond := w.condition()
	if len(w.Refusals) > 0 {
		return "", w.Refusals
	}
	return w.text(cond), nil
}

// refuseQuestions refuses questions that are not about final states.
func (w *litmusTest) refuseQuestions() bool {
	for _, g := range w.props.Goals {
		w.Refuse(g.Pos, "a goal is about states on the way, and a litmus test knows only final states")
	}
	if w.props.Deadlock {
		w.Refuse(w.p.Threads[0].Pos, "a deadlock is no final state, and a litmus test knows only these")
	}
	if f := w.props.Final; f != nil && f.Quantifier == property.Exists && w.asserts() {
		w.Refuse(f.Pos, "a litmus test has one condition: it cannot ask for an example and for failing assertions at once")
	}
	return len(w.Refusals) > 0
}

// asserts reports whether an assertion of the program counts.
func (w *litmusTest) asserts() bool {
	return w.props.Checks && slices.ContainsFunc(w.p.Threads, func(th ir.Thread) bool {
		return slices.ContainsFunc(w.p.Funcs[th.Func].Edges, func(e ir.Edge) bool { return e.Op.Kind == ir.Assert })
	})
}

// watched returns the registers that the condition and the final states show.
func (w *litmusTest) watched() []property.Var {
	var out []property.Var
	vars := w.props.Observe
	if f := w.props.Final; f != nil {
		vars = append(vars[:len(vars):len(vars)], f.Cond.Vars...)
	}
	for _, v := range vars {
		if !v.IsMemory() {
			out = append(out, v)
		}
	}
	return out
}

// constAddr returns the address of an access if it is the same in every execution.
func constAddr(p *ir.Program, e *ir.Expr) (uint64, bool) {
	switch e.Op {
	case ir.AddrOf:
		return p.Objects[e.Obj].Addr + uint64(e.Value), true
	case ir.Const:
		return uint64(e.Value), true
	}
	return 0, false
}

// layOut finds the variables: an object that is always accessed by whole elements has one per element, another object is
// one.
func (w *litmusTest) layOut() {
	split := map[ir.ObjectID]bool{}
	for _, th := range w.p.Threads {
		f := w.p.Funcs[th.Func]
		for i := range f.Edges {
			e := &f.Edges[i]
			if !e.Op.Accesses() {
				continue
			}
			addr, ok := constAddr(w.p, e.Op.Addr)
			if !ok {
				w.Refuse(e.Pos, "an address that the program computes cannot be exported to a litmus test")
				continue
			}
			o := w.p.FindObject(addr, e.Op.Type.Size())
			switch {
			case o == ir.NoObject && !(w.p.Cells && addr%ir.CellUnit == 0 && e.Op.Type.Size() == ir.CellUnit):
				w.Refuse(e.Pos, "an access outside all variables cannot be exported to a litmus test")
			case o != ir.NoObject && !w.isElement(o, addr, e.Op.Type.Size()):
				split[o] = true
			}
		}
	}
	for o := range w.p.Objects {
		id, obj := ir.ObjectID(o), &w.p.Objects[o]
		if split[id] {
			w.whole[id] = w.names.Name(obj.Name)
			w.declareWhole(id)
		}
	}
	for _, v := range w.props.Observe {
		if v.IsMemory() {
			w.variable(v.Addr, v.Type.Size())
		}
	}
}

// isElement reports whether bytes are one element of an object.
func (w *litmusTest) isElement(o ir.ObjectID, addr uint64, size int) bool {
	obj := &w.p.Objects[o]
	unit := obj.Unit
	if obj.Cells {
		unit = ir.CellUnit
	}
	return size == unit && (addr-obj.Addr)%uint64(unit) == 0
}

// declareWhole declares an object that is accessed in pieces.
func (w *litmusTest) declareWhole(id ir.ObjectID) {
	obj := &w.p.Objects[id]
	t := ir.Type{Bits: uint8(8 * obj.Unit), Signed: obj.Type.Signed}
	if !t.Valid() || obj.Size%int64(obj.Unit) != 0 || obj.Size > 1<<12 {
		w.Refuse(obj.Pos, "object %s is no array of integers that a litmus test can have", obj.Name)
		return
	}
	var vals []string
	for off := int64(0); off < obj.Size; off += int64(obj.Unit) {
		vals = append(vals, fmt.Sprint(export.InitialValue(w.p, obj.Addr+uint64(off), t)))
	}
	if len(vals) == 1 {
		w.decls = append(w.decls, fmt.Sprintf("%s %s=%s;", export.IntType(t), w.whole[id], vals[0]))
	} else {
		w.decls = append(w.decls, fmt.Sprintf("%s %s[%d]={%s};", export.IntType(t), w.whole[id], len(vals), strings.Join(vals, ",")))
	}
}

// variable returns bytes of memory as an operand names them, without parentheses.
func (w *litmusTest) variable(addr uint64, size int) string {
	id := w.p.FindObject(addr, size)
	if name, ok := w.whole[id]; ok && id != ir.NoObject {
		if off := addr - w.p.Objects[id].Addr; off > 0 {
			return fmt.Sprintf("%s+%d", name, off)
		}
		return name
	}
	c := cell{addr, size}
	if name, ok := w.cells[c]; ok {
		return name
	}
	title, t := w.p.LocationName(addr, size), ir.Type{Bits: uint8(8 * size), Signed: true}
	if id != ir.NoObject {
		t.Signed = w.p.Objects[id].Type.Signed
	}
	name := w.names.Name(title)
	w.cells[c] = name
	if name != title {
		w.notes = append(w.notes, fmt.Sprintf("%s is %s", name, title))
	}
	w.decls = append(w.decls, fmt.Sprintf("%s %s=%d;", export.IntType(t), name, export.InitialValue(w.p, addr, t)))
	return name
}

// text puts the test together.
func (w *litmusTest) text(cond string) string {
	var b strings.Builder
	fresh := export.NewNamer("")
	fmt.Fprintf(&b, "X86_64 %s\n\"%s, written by fencepost\"\n{\n", fresh.Name(w.p.Name), strings.ReplaceAll(export.Comment(w.p.Name), `"`, "'"))
	for _, n := range w.notes {
		fmt.Fprintf(&b, "(* %s *)\n", strings.ReplaceAll(strings.ReplaceAll(n, "(*", "( *"), "*)", "* )"))
	}
	for _, d := range w.decls {
		fmt.Fprintf(&b, "%s\n", d)
	}
	b.WriteString("}\n")
	rows := 0
	width := make([]int, len(w.cols))
	for i, c := range w.cols {
		rows = max(rows, len(c.code))
		width[i] = len(c.title)
		for _, line := range c.code {
			width[i] = max(width[i], len(line))
		}
	}
	for row := -1; row < rows; row++ {
		for i, c := range w.cols {
			cellText := ""
			switch {
			case row < 0:
				cellText = c.title
			case row < len(c.code):
				cellText = c.code[row]
			}
			sep := " |"
			if i == len(w.cols)-1 {
				sep = " ;\n"
			}
			fmt.Fprintf(&b, " %-*s%s", width[i], cellText, sep)
		}
	}
	b.WriteString(cond)
	return b.String()
}
