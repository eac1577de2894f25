package elf

import (
	"encoding/binary"
	"fmt"
	"strings"

	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Data. Every symbol of a section is an object of its own, so that bounds are checked per variable; bytes
// without a symbol belong to the symbol before, or to an object of the section's name. Objects come into
// being when code or other data refer to them.

// datum is a piece of data.
type datum struct {
	sec   *object.Section
	off   uint64
	size  uint64
	name  string
	used  bool
	index int // in the data of the program
	obj   ir.ObjectID
	bytes []byte
}

// pieces returns the data of a section.
func (p *program) pieces(sec *object.Section) []*datum {
	if list, ok := p.known[sec]; ok {
		return list
	}
	var list []*datum
	begin := func(off uint64, name string) {
		if n := len(list); n > 0 {
			if list[n-1].off == off {
				list[n-1].name = name
				return
			}
			list[n-1].size = off - list[n-1].off
		}
		list = append(list, &datum{sec: sec, off: off, size: sec.Size - off, name: name})
	}
	begin(0, sec.Name)
	for _, s := range p.image.SymbolsIn(sec) {
		if s.Kind != object.SectionStart && s.Name != "" && s.Off < sec.Size {
			begin(s.Off, s.Name)
		}
	}
	p.known[sec] = list
	return list
}

// address returns the expression for an address of the image.
func (p *program) address(addr uint64) (*ir.Expr, error) {
	sec := p.image.Find(addr)
	if sec == nil {
		return nil, fmt.Errorf("the address is outside the program")
	}
	return p.inSection(sec, int64(addr-sec.Addr))
}

// symbol returns the expression for a symbol plus an offset.
func (p *program) symbol(s *object.Symbol, off int64) (*ir.Expr, error) {
	switch {
	case s.Absolute:
		return ir.Int(int64(s.Off) + off), nil
	case s.Kind == object.Indirect:
		return nil, fmt.Errorf("%s is an indirect function (IFUNC)", s.Name)
	case s.Sec == nil && s.Weak:
		return ir.Int(off), nil
	case s.Sec == nil:
		return nil, fmt.Errorf("%s is not defined in the given files", s.Name)
	}
	if s.Kind != object.SectionStart && !s.Sec.Exec { // the offset may leave the symbol, as a[i-1] does
		for _, d := range p.pieces(s.Sec) {
			if d.off == s.Off {
				return ir.Addr(ir.ObjectID(p.use(d)), off), nil
			}
		}
	}
	return p.inSection(s.Sec, int64(s.Off)+off)
}

func (p *program) inSection(sec *object.Section, off int64) (*ir.Expr, error) {
	if sec.Exec {
		sym := p.functionAt(sec.Addr + uint64(off))
		if sym == nil {
			return nil, fmt.Errorf("it takes an address inside the code")
		}
		f := p.find(sym)
		p.taken[f] = true
		return &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: ir.FuncID(f.index)}, nil
	}
	list := p.pieces(sec)
	best := list[0]
	for _, d := range list {
		if int64(d.off) <= off {
			best = d
		}
	}
	return ir.Addr(ir.ObjectID(p.use(best)), off-int64(best.off)), nil
}

// use makes a piece of data part of the program, with all that its words refer to.
func (p *program) use(d *datum) int {
	if d.used {
		return d.index
	}
	d.used, d.index = true, len(p.data)
	p.data = append(p.data, d)
	for _, r := range d.sec.Relocs {
		if r.Off >= d.off && r.Off < d.off+d.size && r.Kind == object.Abs64 {
			p.symbol(r.Sym, r.Addend) // an error is reported when the words are filled in
		}
	}
	return d.index
}

// build makes the objects.
func (p *program) build(b *ir.Builder) {
	if p.built {
		return
	}
	p.built = true
	for _, d := range p.data {
		d.bytes = make([]byte, d.size)
		if d.sec.Data != nil {
			copy(d.bytes, d.sec.Data[d.off:d.off+d.size])
		}
		unit := int(d.size)
		if unit != 1 && unit != 2 && unit != 4 && unit != 8 {
			unit = 1
			if d.size%8 == 0 {
				unit = 8
			} else if d.size%4 == 0 {
				unit = 4
			}
		}
		b.AlignNext(max(16, d.sec.Align))
		d.obj = b.Object(d.name, max(1, int64(d.size)), unit, ir.Type{Bits: uint8(8 * unit), Signed: true}, d.bytes, source.Span{})
		if l := p.layout(d); l != nil {
			b.Layout(d.obj, l)
		}
		if d.sec.TLS {
			b.SetPerThread(d.obj)
		} else if !d.sec.Write || d.sec.RelRO {
			b.SetReadOnly(d.obj)
		}
	}
}

// fillIn fills in the words that hold addresses.
func (p *program) fillIn(out *ir.Program) {
	for _, d := range p.data {
		for _, r := range d.sec.Relocs {
			if r.Off < d.off || r.Off+8 > d.off+d.size || r.Kind != object.Abs64 {
				continue
			}
			e, err := p.symbol(r.Sym, r.Addend)
			if err != nil {
				continue // the word stays 0: an access through it is an error
			}
			var v uint64
			switch e.Op {
			case ir.AddrOf:
				v = out.Objects[p.data[e.Obj].obj].Addr + uint64(e.Value)
			case ir.FuncAddr:
				if f := p.funcs[e.Func]; f.fb != nil {
					v = uint64(ir.FuncAddress(f.fb.ID))
				}
			default:
				v = uint64(e.Value)
			}
			binary.LittleEndian.PutUint64(d.bytes[r.Off-d.off:], v)
		}
	}
}

// shown are the variables that final states show.
func (p *program) shown() []ir.ObjectID {
	var out []ir.ObjectID
	for _, d := range p.data {
		if d.sec.Write && !d.sec.RelRO && !d.sec.TLS && d.obj != ir.NoObject {
			out = append(out, d.obj)
		}
	}
	return out
}

// oddMutex returns the name of a variable that looks as glibc's initialisers for other mutexes than normal ones
// leave it: zeros, but for the kind. The library has a layout of its own, in which that means nothing.
func (p *program) oddMutex() string {
	const size, kindAt = 40, 16
	for _, d := range p.data {
		if !d.sec.Write || d.sec.Data == nil || d.size < size {
			continue
		}
		b := d.sec.Data[d.off : d.off+d.size]
		for at := 0; at+size <= len(b); at += 8 {
			odd := b[at+kindAt] >= 1 && b[at+kindAt] <= 3
			for i, v := range b[at : at+size] {
				odd = odd && (v == 0 || i == kindAt)
			}
			if odd {
				return d.name
			}
		}
	}
	return ""
}

// text returns a string that an expression points to.
func (p *program) text(e *ir.Expr) (string, bool) {
	if e == nil || e.Op != ir.AddrOf {
		return "", false
	}
	d := p.data[e.Obj]
	if d.sec.Write || d.sec.Data == nil || e.Value < 0 || uint64(e.Value) >= d.size {
		return "", false
	}
	s, _, ok := strings.Cut(string(d.sec.Data[d.off+uint64(e.Value):d.off+d.size]), "\x00")
	return s, ok
}
