package irtext

import (
	"encoding/hex"
	"math"

	"fencepost/internal/ir"
)

func (ps *parser) program() {
	ps.p.Name = ps.name("the name of the program")
	switch {
	case ps.word("flat"):
		ps.p.Form = ir.Flat
	case ps.word("structured"):
		ps.p.Form = ir.Structured
	case ps.word("unset"):
		ps.p.Form = ir.FormUnset
	}
}

func (ps *parser) object() {
	o := ir.Object{Name: ps.name("the name of an object"), Size: 8, Type: ir.S64}
	unit, addr, elements, hasAddr := 0, uint64(0), []int64(nil), false
	start := ps.tok()
	for !ps.bad {
		switch {
		case ps.word("size"):
			o.Size = ps.integer()
			continue
		case ps.word("unit"):
			unit = int(ps.small())
			if unit < 1 {
				ps.failAt(start, codeNumber, "a unit has at least one byte")
			}
			continue
		case ps.word("cells"):
			o.Cells = true
			continue
		case ps.word("perthread"):
			o.PerThread = true
			continue
		case ps.word("align"):
			o.Align = ps.integer()
			continue
		case ps.word("readonly"):
			o.ReadOnly = true
			continue
		case ps.word("masked"):
			o.Masked = true
			continue
		case ps.word("ends"):
			o.Ends = true
			continue
		case ps.word("addr"):
			addr, hasAddr = uint64(ps.integer()), true
			continue
		case ps.word("type"):
			o.Type = ps.typ()
			continue
		case ps.word(layoutWord):
			o.Layout = ps.layoutOf()
			continue
		case ps.word("init"):
			for !ps.bad && (ps.tok().kind == tokNumber || ps.isPunct("-")) {
				elements = append(elements, ps.integer())
			}
			continue
		case ps.word("bytes"):
			o.Init = ps.hexBytes()
			continue
		}
		break
	}
	o.Unit = unit
	if unit == 0 {
		o.Unit = defaultUnit(o.Size)
	}
	if len(elements) > 0 {
		o.Init = ps.encode(start, elements, o.Unit)
	}
	o.Addr = addr
	if !hasAddr {
		o.Addr = ps.lay.address(&o)
	}
	ps.lay.add(&o)
	o.Pos = ps.span()
	ps.p.Objects = append(ps.p.Objects, o)
}

func (ps *parser) hexBytes() []byte {
	t := ps.tok()
	b, err := hex.DecodeString(ps.name("bytes in hexadecimal"))
	if err != nil {
		ps.failAt(t, codeNumber, "malformed bytes")
	}
	if len(b) == 0 {
		return nil
	}
	return b
}

// encode lays out initial elements in little-endian order.
func (ps *parser) encode(at *token, elements []int64, unit int) []byte {
	if !elementSize(unit) {
		ps.failAt(at, codeNumber, "elements of %d bytes cannot be given by init; use bytes", unit)
		return nil
	}
	var b []byte
	for _, v := range elements {
		bits := uint(8 * unit)
		if unit < 8 && (v < -(1<<(bits-1)) || v >= 1<<bits) {
			ps.failAt(at, codeNumber, "%d does not fit an element of %d bytes", v, unit)
			return nil
		}
		for i := 0; i < unit; i++ {
			b = append(b, byte(v>>(8*i)))
		}
	}
	return b
}

func (ps *parser) thread() {
	t := ps.tok()
	th := ir.Thread{Name: ps.name("the name of a thread"), Start: true}
	if ps.accept("=") {
		th.Func = ir.FuncID(ps.lookup(ps.funcs, "function"))
	} else if id, ok := ps.funcs[th.Name]; ok {
		th.Func = ir.FuncID(id)
	} else {
		ps.failAt(t, codeUnknown, "no function %s", quoteName(th.Name))
	}
	ps.list(func() { th.Args = append(th.Args, ps.integer()) })
	for !ps.bad {
		switch {
		case ps.word("start"):
			th.Start = true
			continue
		case ps.word("spawned"):
			th.Start = false
			continue
		case ps.word("template"):
			th.Template = ps.name("the name of a template")
			continue
		case ps.word("unbounded"):
			th.Unbounded = true
			continue
		}
		break
	}
	th.Pos = ps.span()
	ps.p.Threads = append(ps.p.Threads, th)
}

// list reads items in parentheses; no parentheses are an empty list.
func (ps *parser) list(item func()) {
	if !ps.accept("(") || ps.accept(")") {
		return
	}
	for item(); ps.accept(","); {
		item()
	}
	ps.expect(")")
}

func (ps *parser) function() {
	f := &ir.Func{Name: ps.name("the name of a function")}
	ps.p.Funcs = append(ps.p.Funcs, f)
	ps.f, ps.regs, ps.locs = f, map[string]ir.Reg{}, map[string]ir.Loc{}
	ps.list(ps.register)
	f.Params = len(f.Regs)
	if f.Pointer = ps.word("pointer"); f.Pointer {
		for ps.tok().kind == tokString {
			f.Types = append(f.Types, ps.name("a type"))
		}
	}
	f.Pos = ps.span()
	ps.expect("{")
}

func (ps *parser) register() {
	t := ps.tok()
	r := ir.Register{Name: ps.name("the name of a register")}
	if t.kind == tokName && reserved(r.Name) {
		ps.failAt(t, codeSyntax, "%s is a keyword; quote it to name a register", r.Name)
	}
	if _, twice := ps.regs[r.Name]; twice {
		ps.failAt(t, codeDuplicate, "register %s is declared twice", quoteName(r.Name))
	}
	if ps.accept("=") {
		if ps.word(undefWord) {
			r.Undef = ps.typed(ir.Undefined(ir.S64)).e.Type
		} else {
			r.Init = ps.integer()
		}
	}
	r.Pos = ps.span()
	if !ps.bad {
		ps.regs[r.Name] = ir.Reg(len(ps.f.Regs))
		ps.f.Regs = append(ps.f.Regs, r)
	}
}

// location takes the name of a location, which may be a number.
func (ps *parser) location() (ir.Loc, bool) {
	t := ps.tok()
	name := t.text
	if t.kind == tokNumber && !ps.bad && allDigits(name) {
		ps.advance()
	} else {
		name = ps.name("the name of a location")
	}
	if ps.bad {
		return 0, false
	}
	l, known := ps.locs[name]
	if !known {
		l = ir.Loc(len(ps.f.Locs))
		ps.locs[name] = l
		ps.f.Locs = append(ps.f.Locs, ir.Location{Name: name})
	}
	return l, known
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// bodyLine reads a line inside a function.
func (ps *parser) bodyLine() {
	next := ps.peek(1)
	edge := next.kind == tokPunct && next.text == "->"
	switch t := ps.tok(); {
	case edge:
		ps.edge()
	case ps.word("reg"):
		for ps.register(); ps.accept(","); {
			ps.register()
		}
	case ps.word("loc"):
		l, known := ps.location()
		if known {
			ps.failAt(t, codeDuplicate, "location %s is used above or declared twice", quoteName(ps.f.Locs[l].Name))
		}
		if pos := ps.span(); !ps.bad {
			ps.f.Locs[l].Pos = pos
		}
	case ps.word("entry"):
		ps.f.Entry, _ = ps.location()
	default:
		ps.want("an edge, reg, loc, entry or '}'")
	}
}

func (ps *parser) edge() {
	start := ps.tok()
	e := ir.Edge{}
	e.From, _ = ps.location()
	ps.expect("->")
	e.To, _ = ps.location()
	ps.expect(":")
	e.Op = ps.op()
	e.Pos = ps.span()
	id, origin, hasOrigin := ps.nextID, int32(0), false
	if ps.accept(";") {
		for !ps.bad {
			switch {
			case ps.word("id"):
				id = int64(ps.small())
				continue
			case ps.word("origin"):
				origin, hasOrigin = ps.small(), true
				continue
			case ps.word("pass"):
				e.Pass = ps.name("the name of a pass")
				continue
			case ps.word("via"):
				e.Stack = ps.frames()
				continue
			}
			break
		}
	}
	if id > math.MaxInt32-1 { // one is needed for NextEdge
		ps.failAt(start, codeNumber, "no edge ids left")
	}
	ps.nextID = id + 1
	e.ID, e.Origin = ir.EdgeID(id), ir.EdgeID(id)
	if hasOrigin {
		e.Origin = ir.EdgeID(origin)
	}
	if !ps.bad {
		ps.f.Edges = append(ps.f.Edges, e)
	}
}

func (ps *parser) frames() []ir.Frame {
	var frames []ir.Frame
	for more := true; more; more = ps.accept(",") {
		frames = append(frames, ir.Frame{Func: ps.name("the name of a function"), Call: ps.span().Pos})
	}
	return frames
}
