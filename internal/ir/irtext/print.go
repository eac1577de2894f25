package irtext

// The text form. People read it, and tests below the front ends are written in it, so a line
// gives the effect of an edge and omits defaults: ids that count up, origins that equal ids,
// addresses that a Builder would choose. Parse fills in what Print omits; the two must agree on
// every default.
//
// Print also prints broken programs, including ids of things that do not exist; it panics only
// on unknown enum values. Parse returns the same program for every program that Verify accepts.

import (
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Print returns the text form of a program.
func Print(p *ir.Program) string {
	pr := &printer{p: p}
	pr.program()
	return pr.b.String()
}

// Fprint writes the text form.
func Fprint(w io.Writer, p *ir.Program) error {
	_, err := io.WriteString(w, Print(p))
	return err
}

// FormatOp returns the text form of an operation of f.
func FormatOp(p *ir.Program, f *ir.Func, op *ir.Op) string {
	pr := &printer{p: p, f: f}
	pr.op(op)
	return pr.b.String()
}

// FormatExpr returns the text form of an expression over the registers of f. With f nil,
// registers are numbered.
func FormatExpr(p *ir.Program, f *ir.Func, e *ir.Expr) string {
	pr := &printer{p: p, f: f}
	pr.expr(e)
	return pr.b.String()
}

type printer struct {
	p    *ir.Program
	f    *ir.Func
	b    strings.Builder
	next int64 // the default id of the next edge
}

func (pr *printer) printf(format string, args ...any) { fmt.Fprintf(&pr.b, format, args...) }

func (pr *printer) program() {
	p := pr.p
	form := "unset"
	if p.Form == ir.Structured || p.Form == ir.Flat {
		form = p.Form.String()
	}
	pr.printf("program %s %s\n", quoteName(p.Name), form)
	if p.Cells {
		pr.printf("cells\n")
	}
	if p.Main != ir.NoThread {
		pr.printf("main %s\n", pr.threadName(p.Main))
	}
	if p.NextEdge != defaultNextEdge(p) {
		pr.printf("next %d\n", p.NextEdge)
	}
	lay := newLayout(p.Cells)
	for i := range p.Objects {
		pr.object(&p.Objects[i], &lay)
	}
	for _, f := range p.Funcs {
		pr.function(f)
	}
	if len(p.Threads) > 0 {
		pr.printf("\n")
	}
	for i := range p.Threads {
		pr.thread(&p.Threads[i])
	}
}

// defaultNextEdge returns one more than the largest edge id.
func defaultNextEdge(p *ir.Program) ir.EdgeID {
	next := ir.EdgeID(0)
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if id := f.Edges[i].ID; id < math.MaxInt32 {
				next = max(next, id+1)
			}
		}
	}
	return next
}

// layout computes the addresses a Builder gives to objects.
type layout struct{ next uint64 }

func newLayout(cells bool) layout {
	if cells {
		return layout{ir.CellDataBase}
	}
	return layout{ir.DataBase}
}

// address returns the default address of o.
func (l *layout) address(o *ir.Object) uint64 {
	if o.Cells {
		return 0
	}
	return l.next
}

// add moves the next default address past o.
func (l *layout) add(o *ir.Object) {
	end := ir.AfterObject(o)
	if !o.Cells && o.Addr >= l.next && end > o.Addr {
		l.next = end
	}
}

// defaultUnit returns the element size of an object that names none.
func defaultUnit(size int64) int { return int(max(1, min(size, 8))) }

func (pr *printer) object(o *ir.Object, lay *layout) {
	pr.printf("object %s size %d", quoteName(o.Name), o.Size)
	if o.Unit != defaultUnit(o.Size) {
		pr.printf(" unit %d", o.Unit)
	}
	for _, attr := range []struct {
		has  bool
		text string
	}{
		{o.Cells, "cells"}, {o.PerThread, "perthread"}, {o.Align != 0, fmt.Sprintf("align %d", o.Align)}, {o.ReadOnly, "readonly"},
		{o.Masked, "masked"}, {o.Ends, "ends"}, {o.Addr != lay.address(o), fmt.Sprintf("addr %#x", o.Addr)},
	} {
		if attr.has {
			pr.printf(" %s", attr.text)
		}
	}
	lay.add(o)
	if o.Type != ir.S64 {
		pr.printf(" type %s", o.Type)
	}
	switch {
	case len(o.Init) == 0:
	case elementSize(o.Unit) && len(o.Init)%o.Unit == 0:
		pr.printf(" init")
		t := ir.Type{Bits: uint8(8 * o.Unit), Signed: o.Type.Signed}
		for i := 0; i < len(o.Init); i += o.Unit {
			pr.printf(" %d", decodeElement(o.Init[i:i+o.Unit], t))
		}
	default:
		pr.printf(" bytes %q", hex.EncodeToString(o.Init))
	}
	if o.Layout != nil {
		pr.printf(" %s %s", layoutWord, formatLayout(o.Layout))
	}
	pr.pos(o.Pos)
	pr.printf("\n")
}

// elementSize reports whether initial values can be given by element.
func elementSize(unit int) bool { return unit == 1 || unit == 2 || unit == 4 || unit == 8 }

// decodeElement reads a little-endian element.
func decodeElement(b []byte, t ir.Type) int64 {
	v := uint64(0)
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return t.Wrap(int64(v))
}

func (pr *printer) function(f *ir.Func) {
	pr.f = f
	pr.printf("\nfunc %s(", quoteName(f.Name))
	params := max(0, min(f.Params, len(f.Regs)))
	for i := range f.Regs[:params] {
		if i > 0 {
			pr.printf(", ")
		}
		pr.register(&f.Regs[i])
	}
	pr.printf(")")
	if f.Pointer {
		pr.printf(" pointer")
		for _, t := range f.Types {
			pr.printf(" %q", t)
		}
	}
	pr.pos(f.Pos)
	pr.printf(" {\n")
	for i := range f.Regs[params:] {
		pr.printf("  reg ")
		pr.register(&f.Regs[params+i])
		pr.printf("\n")
	}
	if !implicitLocs(f) {
		for i := range f.Locs {
			pr.printf("  loc %s", pr.locName(ir.Loc(i)))
			pr.pos(f.Locs[i].Pos)
			pr.printf("\n")
		}
	}
	if f.Entry != 0 {
		pr.printf("  entry %s\n", pr.locName(f.Entry))
	}
	for i := range f.Edges {
		pr.edge(&f.Edges[i])
	}
	pr.printf("}\n")
}

func (pr *printer) register(r *ir.Register) {
	pr.printf("%s", quoteReg(r.Name))
	if r.Init != 0 {
		pr.printf(" = %d", r.Init)
	}
	if r.Undef != (ir.Type{}) {
		pr.printf(" = %s:%s", undefWord, r.Undef)
	}
	pr.pos(r.Pos)
}

// implicitLocs reports whether reading the edges in order declares the locations in their order.
func implicitLocs(f *ir.Func) bool {
	seen := ir.Loc(0)
	for i := range f.Edges {
		for _, l := range []ir.Loc{f.Edges[i].From, f.Edges[i].To} {
			if l == seen {
				seen++
			} else if l > seen {
				return false
			}
		}
	}
	for i := range f.Locs {
		if f.Locs[i].Pos != (source.Span{}) {
			return false
		}
	}
	return int(seen) == len(f.Locs) && f.Entry == 0
}

func (pr *printer) edge(e *ir.Edge) {
	pr.printf("  %s -> %s: ", pr.locName(e.From), pr.locName(e.To))
	pr.op(&e.Op)
	pr.pos(e.Pos)
	sep := " ;"
	note := func(format string, args ...any) {
		pr.printf("%s "+format, append([]any{sep}, args...)...)
		sep = ""
	}
	if int64(e.ID) != pr.next {
		note("id %d", e.ID)
	}
	pr.next = int64(e.ID) + 1
	if e.Origin != e.ID {
		note("origin %d", e.Origin)
	}
	if e.Pass != "" {
		note("pass %s", quoteName(e.Pass))
	}
	for i, fr := range e.Stack {
		if i == 0 {
			note("via")
		} else {
			pr.printf(",")
		}
		pr.printf(" %s", quoteName(fr.Func))
		pr.pos(source.At(fr.Call))
	}
	pr.printf("\n")
}

func (pr *printer) thread(t *ir.Thread) {
	pr.printf("thread %s = %s(", quoteName(t.Name), pr.funcName(t.Func))
	for i, a := range t.Args {
		if i > 0 {
			pr.printf(", ")
		}
		pr.printf("%d", a)
	}
	pr.printf(")")
	if !t.Start {
		pr.printf(" spawned")
	}
	if t.Template != "" {
		pr.printf(" template %s", quoteName(t.Template))
	}
	if t.Unbounded {
		pr.printf(" unbounded")
	}
	pr.pos(t.Pos)
	pr.printf("\n")
}

// pos prints a position, if there is one.
func (pr *printer) pos(s source.Span) {
	if s == (source.Span{}) {
		return
	}
	file := s.File
	for i := 0; i < len(file); i++ {
		if !isFileChar(file[i]) {
			file = strconv.Quote(file)
			break
		}
	}
	pr.printf(" @%s:%d:%d", file, s.Line, s.Col)
	if s.EndLine != 0 || s.EndCol != 0 {
		pr.printf("-%d:%d", s.EndLine, s.EndCol)
	}
}

// quoteName returns a name in the syntax that Parse reads.
func quoteName(name string) string {
	if name != "" && nameLength(name) == len(name) {
		return name
	}
	return strconv.Quote(name)
}

// quoteReg is quoteName for a register, which must not look like a keyword.
func quoteReg(name string) string {
	if reserved(name) {
		return strconv.Quote(name)
	}
	return quoteName(name)
}

// outOfRange is the name of something that does not exist, so that broken programs can be
// printed.
func outOfRange(id int64) string { return strconv.Quote(fmt.Sprintf("?%d", id)) }

func (pr *printer) locName(l ir.Loc) string {
	if l < 0 || int(l) >= len(pr.f.Locs) {
		return outOfRange(int64(l))
	}
	name := pr.f.Locs[l].Name
	if name != "" && strings.Trim(name, "0123456789") == "" {
		return name
	}
	return quoteName(name)
}

func (pr *printer) regName(r ir.Reg) string {
	if pr.f == nil {
		return fmt.Sprintf("r%d", r)
	}
	if r < 0 || int(r) >= len(pr.f.Regs) {
		return outOfRange(int64(r))
	}
	return quoteReg(pr.f.Regs[r].Name)
}

func (pr *printer) objectName(o ir.ObjectID) string {
	if o < 0 || int(o) >= len(pr.p.Objects) {
		return outOfRange(int64(o))
	}
	return quoteName(pr.p.Objects[o].Name)
}

func (pr *printer) funcName(f ir.FuncID) string {
	if f < 0 || int(f) >= len(pr.p.Funcs) {
		return outOfRange(int64(f))
	}
	return quoteName(pr.p.Funcs[f].Name)
}

func (pr *printer) threadName(t ir.ThreadID) string {
	if t < 0 || int(t) >= len(pr.p.Threads) {
		return outOfRange(int64(t))
	}
	return quoteName(pr.p.Threads[t].Name)
}
