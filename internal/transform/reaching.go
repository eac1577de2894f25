package transform

import "fencepost/internal/ir"

// Reaching definitions: which instructions may have given a register its value at a location?
// Translators use one temporary register for many purposes; an analysis that keeps a set per
// register would mix them.

// maxReaching limits the locations that one search visits.
const maxReaching = 1 << 12

// reaching answers the question for one function.
type reaching struct {
	f     *ir.Func
	in    [][]int32          // by location: the edges that lead to it
	defs  map[ir.Reg][]int32 // all definitions, by register
	known map[use][]int32
}

// use is a register at a location.
type use struct {
	at ir.Loc
	r  ir.Reg
}

// atEntry stands for the value that a register has when the function begins.
const atEntry = -1

func newReaching(f *ir.Func) *reaching {
	d := &reaching{f: f, in: make([][]int32, len(f.Locs)), defs: map[ir.Reg][]int32{}, known: map[use][]int32{}}
	for i := range f.Edges {
		e := &f.Edges[i]
		d.in[e.To] = append(d.in[e.To], int32(i))
		e.Op.Defs(func(r ir.Reg) { d.defs[r] = append(d.defs[r], int32(i)) })
	}
	return d
}

// of returns the edges that may have defined register r when control is at a location, or atEntry.
func (d *reaching) of(at ir.Loc, r ir.Reg) []int32 {
	k := use{at, r}
	if out, ok := d.known[k]; ok {
		return out
	}
	out, ok := d.search(at, r)
	if !ok {
		out = append([]int32{atEntry}, d.defs[r]...)
	}
	d.known[k] = out
	return out
}

// search goes back from a location to the definitions. It returns false if that is too much work.
func (d *reaching) search(at ir.Loc, r ir.Reg) ([]int32, bool) {
	var out []int32
	seen, work := map[ir.Loc]bool{at: true}, []ir.Loc{at}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		if l == d.f.Entry {
			out = append(out, atEntry)
		}
		for _, i := range d.in[l] {
			e := &d.f.Edges[i]
			defines := false
			e.Op.Defs(func(def ir.Reg) { defines = defines || def == r })
			switch {
			case defines:
				out = append(out, i)
			case !seen[e.From]:
				seen[e.From] = true
				work = append(work, e.From)
			}
		}
		if len(seen) > maxReaching {
			return nil, false
		}
	}
	return out, true
}
