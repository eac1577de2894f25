package elf

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// Addresses that the files do not say: of symbols that no file defines, and of code that is no function. A file does
// not say whether an undefined symbol is a variable or a function. The address is a number in a stretch of addresses
// of its own, which no object has: it can be kept and compared, and no execution goes on that accesses memory there or
// calls it.
//
// Other fields of data cannot hold such a number, because they have 32 bits or are offsets from another address. No
// execution goes on that reads one of these.

const (
	outsideBase = 0x6000_0000_0000
	outsideSpan = 1 << 32
)

// stretch is an interval of addresses that no execution may access.
type stretch struct {
	low, high uint64 // from low up to high, which is outside
	code, why string
	obj       ir.ObjectID // that has it; ir.NoObject: none
	data      bool        // calls are allowed
}

// outsideAddress returns the number that stands for an address that is not known, for a reason.
func (p *program) outsideAddress(code, why string, off int64) *ir.Expr {
	i := slices.IndexFunc(p.unknown, func(s stretch) bool { return s.why == why })
	if i < 0 {
		i = len(p.unknown)
		low := uint64(outsideBase + i*outsideSpan)
		p.unknown = append(p.unknown, stretch{low: low, high: low + outsideSpan, code: code, why: why, obj: ir.NoObject})
	}
	return ir.Int(int64(p.unknown[i].low) + outsideSpan/2 + off%(outsideSpan/4))
}

// missing returns the address of a symbol that no file defines: a function that does nothing but call it if it is
// known to be a function, and a number otherwise.
func (p *program) missing(name string, off int64) *ir.Expr {
	s := p.image.Linked[name]
	function := s != nil && (s.Kind == object.Function || s.Kind == object.Indirect)
	variable := s != nil && (s.Kind == object.Data || s.Kind == object.ThreadLocal)
	if (function || p.knows(name)) && !variable && off == 0 {
		e := p.externPointer(name)
		p.perhaps[p.forwards[name]] = p.perhaps[p.forwards[name]] || !function
		return e
	}
	return p.notDefined(name, off)
}

// notDefined returns the number that stands for the address of a symbol that no file defines.
func (p *program) notDefined(name string, off int64) *ir.Expr {
	e := p.outsideAddress(codeExtern, p.undefined(name), off)
	if off == 0 && strings.HasPrefix(name, typePrefix) {
		p.outsideNames[e.Value] = name
	}
	return e
}

// linkerDefines reports whether the linker gives a symbol that no file defines its address: the ends of the program's parts.
// Programs compute with distances between these, so that no number can stand for them.
func (p *program) linkerDefines(s *object.Symbol) bool {
	if s.Sec != nil || s.Absolute {
		return false
	}
	for _, prefix := range []string{"__start_", "__stop_"} {
		if name, is := strings.CutPrefix(s.Name, prefix); is {
			return slices.ContainsFunc(p.image.Sections, func(sec *object.Section) bool { return sec.Name == name })
		}
	}
	switch s.Name {
	case "etext", "_etext", "__etext", "edata", "_edata", "end", "_end", "__bss_start", "__executable_start", "__ehdr_start",
		"__init_array_start", "__init_array_end", "__fini_array_start", "__fini_array_end", "__preinit_array_start", "__preinit_array_end":
		return true
	}
	return false
}

// undefined says that no file defines a symbol.
func (p *program) undefined(name string) string {
	why := shortName(name) + " is not defined in the given files"
	if s := p.image.Linked[name]; s != nil {
		why += "; " + s.File + " refers to it"
	}
	return why
}

// perhapsVariables returns the addresses of functions of libraries that are known by their names alone: if the program
// reads or writes there, the name is one of a variable, which no file defines.
func (p *program) perhapsVariables() [][]stretch {
	var out [][]stretch
	for _, f := range p.funcs {
		if p.perhaps[f] && f.fb != nil {
			low := uint64(ir.FuncAddress(f.fb.ID))
			out = append(out, []stretch{{low: low, high: low + 16, code: codeExtern, why: p.undefined(f.sym.Name), obj: ir.NoObject, data: true}})
		}
	}
	return out
}

// field is a field of data that has a relocation.
type field struct {
	d *datum
	r *object.Reloc
}

// fields returns the fields of the data of the program, but for those of the tables of switches, which have been read. What
// is the address of a function is filled in all the same: the table may be one of methods.
func (p *program) fields() []field {
	type position struct {
		sec *object.Section
		off uint64
	}
	tables := map[position]bool{}
	for _, f := range p.funcs {
		for _, in := range f.order {
			for _, t := range in.keeps {
				for i, to := range t.targets {
					tables[position{t.sec, t.from + uint64(i)*uint64(t.size)}] = to != 0 && to != f.sym.Addr()
				}
			}
		}
	}
	var out []field
	for _, d := range p.data {
		for i := range d.sec.Relocs {
			r := &d.sec.Relocs[i]
			if r.Off >= d.off && r.Off < d.off+d.size && !tables[position{d.sec, r.Off}] {
				out = append(out, field{d, r})
			}
		}
	}
	return out
}

// value returns what a field gets: an address, or the address from which the field holds its distance. That needs
// sections whose parts are as far apart here as in the file, because the addend depends on the offset of the field, too.
func (p *program) value(f field) (*ir.Expr, error) {
	r := f.r
	if r.Off+r.Kind.Size() > f.d.off+f.d.size {
		return nil, fmt.Errorf("a relocation in %s is beyond the end of its variable", f.d.name)
	}
	if r.Sym != nil && p.linkerDefines(r.Sym) {
		return nil, errors.New(p.undefined(r.Sym.Name))
	}
	switch s := r.Sym; r.Kind {
	case object.Abs64:
		e, err := p.word(r)
		if err != nil {
			e = p.outsideAddress(codeFlow, fmt.Sprintf("a word of %s holds an address that is not known: %v", shortName(f.d.name), err), 0)
		}
		return e, nil
	case object.PC32, object.PC64:
		if s.Sec != nil && !s.Sec.Exec && !s.Sec.TLS && !f.d.sec.TLS && (s.Kind != object.SectionStart || len(p.pieces(s.Sec)) == 1) {
			return p.symbol(s, r.Addend)
		}
	}
	return nil, fmt.Errorf("the relocation %s in %s is not supported", r.Kind, shortName(f.d.name))
}

// forbid makes accesses to addresses that the files do not say, and calls of them, operations that are not supported.
func (p *program) forbid(out *ir.Program) {
	var bad [][]stretch // each without gaps
	for _, f := range p.fields() {
		_, err := p.value(f)
		if err == nil {
			continue
		}
		low := out.Objects[f.d.obj].Addr + f.r.Off - f.d.off
		s := stretch{low: low, high: low + f.r.Kind.Size(), code: codeFlow, why: err.Error(), obj: f.d.obj}
		if n := len(bad); n > 0 && bad[n-1][0].high == s.low && bad[n-1][0].obj == s.obj && bad[n-1][0].why == s.why {
			bad[n-1][0].high = s.high
		} else {
			bad = append(bad, []stretch{s})
		}
	}
	bad = append(bad, p.unknownCopies(out)...)
	bad = append(bad, p.perhapsVariables()...)
	if len(p.unknown) > 0 {
		bad = append(bad, p.unknown)
	}
	if len(bad) == 0 {
		return
	}
	listed := map[int]string{} // the instructions, by their lines
	for _, f := range p.funcs {
		for _, in := range f.order {
			listed[in.pos.Line] = in.listed
		}
	}
	for _, f := range out.Funcs {
		guarded := map[ir.Loc]*ir.Expr{} // the address that the edges from there access
		known := trustedRegisters(f)
		for i := range len(f.Edges) {
			g := &guard{out: out, f: f, i: i, inst: listed[f.Edges[i].Pos.Line], bad: bad}
			op := f.Edges[i].Op
			if op.Addr != nil {
				if before := guarded[f.Edges[i].From]; before != nil && before.Equal(op.Addr) {
					continue
				}
			}
			size := uint64(max(1, op.Type.Size()))
			switch {
			case op.Addr != nil:
				g.known = known.of(f.Edges[i].From, op.Addr)
				g.address(op.Addr, size)
				g.known = untried
				if op.Kind == ir.CondWait {
					g.address(op.Val2, size)
				}
				guarded[f.Edges[i].From] = op.Addr
			case (op.Kind == ir.Call || op.Kind == ir.Spawn) && op.Val != nil:
				g.calls = true
				g.address(op.Val, 1)
			case p.called[f.Edges[i].ID] != nil:
				g.calls = true
				g.address(p.called[f.Edges[i].ID], 1)
			}
		}
	}
	out.Seal()
}

// guard puts branches in front of an edge.
type guard struct {
	out   *ir.Program
	f     *ir.Func
	i     int    // of the edge
	inst  string // its instruction
	calls bool   // the address is called
	known trust  // what is known of the address
	bad   [][]stretch
}

// address ends the execution where an access is in a forbidden stretch.
func (g *guard) address(addr *ir.Expr, size uint64) {
	var base *ir.Expr // an object that the address is relative to
	addr.Walk(func(e *ir.Expr) {
		if e.Op == ir.AddrOf {
			base = e
		}
	})
	inside := func(low, high uint64) *ir.Expr {
		low -= size - 1
		return ir.Binary(ir.Lt, ir.U64, ir.Binary(ir.Sub, ir.U64, addr, ir.Int(int64(low))), ir.Int(int64(high-low)))
	}
	for _, list := range g.bad {
		low, high, obj := list[0].low, list[len(list)-1].high, list[0].obj
		if base != nil && base.Obj != obj || g.calls && list[0].data || g.known == framed || g.known == tried && low >= outsideBase && obj == ir.NoObject {
			continue
		}
		if at := low - (size - 1); base == addr && base != nil && g.out.Objects[obj].Addr+uint64(base.Value)-at >= high-at {
			continue // another part of the object
		}
		from, goesOn, stops := g.f.Edges[g.i].From, g.loc(), g.loc()
		g.assume(from, ir.Negate(inside(low, high)), goesOn)
		g.assume(from, inside(low, high), stops)
		for _, s := range list {
			at := stops
			if len(list) > 1 {
				at = g.loc()
				g.assume(stops, inside(s.low, s.high), at)
			}
			refuse := ir.NewOp(ir.Unsupported)
			refuse.Report = ir.Report{Code: s.code, Msg: g.inst + ": " + s.why}
			g.edge(at, refuse, g.loc())
		}
		for i := range g.f.Edges { // a choice, such as one between a lock that is free and one that is not, stays one
			if e := &g.f.Edges[i]; e.From == from && e.Op.Addr != nil && (i == g.i || addr.Equal(e.Op.Addr)) {
				e.From = goesOn
			}
		}
		g.f.Edges[g.i].From = goesOn
	}
}

func (g *guard) loc() ir.Loc {
	g.f.Locs = append(g.f.Locs, ir.Location{Name: fmt.Sprintf("outside%d", len(g.f.Locs)), Pos: g.f.Edges[g.i].Pos})
	return ir.Loc(len(g.f.Locs) - 1)
}

func (g *guard) edge(from ir.Loc, op ir.Op, to ir.Loc) {
	id := g.out.NextEdge
	g.f.Edges = append(g.f.Edges, ir.Edge{ID: id, Origin: id, From: from, To: to, Op: op, Pos: g.f.Edges[g.i].Pos})
	g.out.NextEdge++
}

func (g *guard) assume(from ir.Loc, cond *ir.Expr, to ir.Loc) {
	op := ir.NewOp(ir.Assume)
	op.Val = cond
	g.edge(from, op, to)
}
