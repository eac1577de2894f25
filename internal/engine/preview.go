package engine

import (
	"maps"
	"slices"
	"strconv"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// What a reader wants to know about the state of an execution that is written down: what a step would do, and
// the cells of memory by name.

// Preview returns the step that Step would write down. The state stays as it is.
func (r *Recorder) Preview(st memory.Step) verdict.Step {
	mark, steps, blocks := r.s.Mark(), len(r.w.Steps), len(r.w.Blocks)
	saved := r.n
	r.n.blocks, r.n.made = slices.Clone(saved.blocks), maps.Clone(saved.made)
	r.Step(st)
	out := r.w.Steps[steps]
	r.w.Steps, r.w.Blocks = r.w.Steps[:steps], r.w.Blocks[:blocks]
	r.n = saved
	r.s.Undo(mark)
	r.s.Event = memory.Event{}
	return out
}

// Cell is a cell of memory with its value as people read it.
type Cell struct {
	Name  string
	Value string
}

// manyElements is the number of elements of an array above which elements that are 0 are not listed.
const manyElements = 32

// Cells lists the cells of static objects and of blocks in use, at most limit of them, and returns how many there
// are besides.
func (r *Recorder) Cells(limit int) (cells []Cell, more int) {
	put := func(name, value string) {
		if len(cells) < limit {
			cells = append(cells, Cell{name, value})
		} else {
			more++
		}
	}
	p := r.y.Prog
	for i := range p.Objects {
		o := &p.Objects[i]
		if o.Cells {
			continue
		}
		l := o.Layout
		if l == nil {
			l = &ir.Layout{Kind: ir.ScalarLayout, Type: o.Type}
			if o.Size > int64(o.Unit) {
				l = &ir.Layout{Kind: ir.ArrayLayout, Elem: l, Count: o.Size / int64(o.Unit)}
			}
		}
		r.parts(o.Name, o.Addr, l, false, put)
	}
	if p.Cells {
		for _, addr := range r.y.Cells(r.s) {
			if v := r.y.Read(r.s, addr, ir.S64); v != 0 {
				put(p.LocationName(addr, ir.CellUnit), strconv.FormatInt(v, 10))
			}
		}
	}
	for _, b := range r.y.Blocks(r.s) {
		named := r.n.block(b.Addr, 1)
		switch {
		case named == nil || named.addr != b.Addr:
		case b.Free:
			put(named.name, "freed")
		case named.layout != nil && named.layout.Size() <= named.size:
			r.parts(named.name, b.Addr, named.layout, false, put)
		default:
			r.parts(named.name, b.Addr, &ir.Layout{Kind: ir.OpaqueLayout, Bytes: b.Size}, false, put)
		}
	}
	return cells, more
}

// parts lists the cells of an object.
func (r *Recorder) parts(name string, addr uint64, l *ir.Layout, sparse bool, put func(name, value string)) {
	switch l.Kind {
	case ir.ScalarLayout:
		if v := r.y.Read(r.s, addr, l.Type); v != 0 || !sparse {
			put(name, r.number(v, l.Type))
		}
	case ir.PointerLayout:
		v := r.y.Read(r.s, addr, ir.U64)
		if v != 0 || !sparse {
			put(name, r.Pointer(v))
		}
	case ir.ArrayLayout:
		for i := range l.Count {
			r.parts(name+"["+strconv.FormatInt(i, 10)+"]", addr+uint64(i*l.Elem.Size()), l.Elem, sparse || l.Count > manyElements, put)
		}
	case ir.RecordLayout:
		for _, f := range l.Fields {
			part := name
			if f.Name != "" {
				part += "." + f.Name
			}
			r.parts(part, addr+uint64(f.Off), f.Layout, sparse, put)
		}
	case ir.OpaqueLayout:
		for off, size := int64(0), int64(0); off < l.Bytes; off += size {
			size = 1
			for size < memory.WordSize && off+2*size <= l.Bytes {
				size *= 2
			}
			if v := r.y.ReadRaw(r.s, addr+uint64(off), int(size)); v != 0 || off == 0 && !sparse {
				put(name+wordName(off, size, l.Bytes), strconv.FormatUint(v, 10))
			}
		}
	default:
		panic("BUG: unknown layout")
	}
}

// wordName names a word of an object without parts: the first one has the name of the object.
func wordName(off, size, all int64) string {
	if off == 0 || size == all {
		return ""
	}
	return ir.BytesName(off, size)
}

func (r *Recorder) number(v int64, t ir.Type) string {
	if t.Float {
		return ir.FloatText(t, v)
	}
	return strconv.FormatInt(v, 10)
}

// Pointer returns the text of an address: the object or block that it points to, or the number.
func (r *Recorder) Pointer(v int64) string {
	if text := r.n.pointee(uint64(v)); text != "" {
		return text
	}
	return strconv.FormatInt(v, 10)
}

// Location returns the name of some bytes.
func (r *Recorder) Location(addr uint64, size int) string {
	name, _ := r.n.location(addr, size)
	return name
}
