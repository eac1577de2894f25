package object

// The table of a function's handlers, in .gcc_except_table: where the function goes on when an exception comes out of a
// call, and which types it catches there (the language-specific data area of the C++ ABI for exceptions).

// Handlers are the handlers of a stretch of code.
type Handlers struct {
	sites []HandlerSite
}

// HandlerSite is a stretch of code whose calls have the same handlers.
type HandlerSite struct {
	From, To uint64
	Pad      uint64 // where the function goes on; 0: the exception leaves it
	Clauses  []Clause
}

// Clause is one of the handlers of a call, in their order. The code at the pad gets the number if the clause is taken.
type Clause struct {
	Number  int64
	Cleanup bool // it is taken if no other one is
	All     bool // it catches every type
	Type    Ref  // it catches this one, if it is not All
	// Unless says that it is an exception specification, which is taken for types that none of Types permits.
	Unless bool
	Types  []Ref
}

// Site returns the site of an address; nil: an exception there ends the program.
func (h *Handlers) Site(addr uint64) *HandlerSite {
	for i := range h.sites {
		if s := &h.sites[i]; addr >= s.From && addr < s.To {
			return s
		}
	}
	return nil
}

// Handlers returns the table of handlers of a frame; ok is false if it is malformed.
func (im *Image) Handlers(f *UnwindFrame) (table *Handlers, ok bool) {
	if have, known := im.handlers[f]; known {
		return have, have != nil
	}
	if im.handlers == nil {
		im.handlers = map[*UnwindFrame]*Handlers{}
	}
	im.handlers[f] = im.readHandlers(f)
	return im.handlers[f], im.handlers[f] != nil
}

// maxClauses bounds the clauses of a call.
const maxClauses = 1000

func (im *Image) readHandlers(f *UnwindFrame) *Handlers {
	addr, ok := f.table.Known()
	sec := im.Find(addr)
	if !ok || sec == nil || sec.Data == nil {
		return nil
	}
	r := &encoded{image: im, sec: sec, at: addr - sec.Addr, end: sec.Size}
	pads := f.From
	if encoding := r.byte(); encoding != encodedOmit {
		var known bool
		pads, known = r.pointer(encoding).Known()
		r.bad = r.bad || !known
	}
	t := types{encoding: r.byte(), encoded: r}
	if t.encoding != encodedOmit {
		distance := r.uleb()
		t.base = r.at + distance
	}
	encoding := r.byte()
	size := r.uleb()
	if r.bad || size > r.end-r.at {
		return nil
	}
	t.actions = r.at + size
	out := &Handlers{}
	for r.at < t.actions && !r.bad {
		from, length, pad := uint64(r.number(encoding)), uint64(r.number(encoding)), uint64(r.number(encoding))
		action := r.uleb()
		s := HandlerSite{From: f.From + from, To: f.From + from + length}
		if pad != 0 {
			s.Pad = pads + pad
		}
		next := r.at
		if action > 0 {
			s.Clauses = t.clauses(action)
		} else if pad != 0 {
			s.Clauses = []Clause{{Cleanup: true}}
		}
		r.at = next
		out.sites = append(out.sites, s)
	}
	if r.bad {
		return nil
	}
	return out
}

// types reads the tables of actions and of types.
type types struct {
	*encoded
	encoding byte
	base     uint64 // the end of the types
	actions  uint64
}

// clauses reads the clauses from an action on, whose number is its offset and 1.
func (t *types) clauses(action uint64) []Clause {
	var out []Clause
	t.at = t.actions + action - 1
	for len(out) < maxClauses && !t.bad {
		c := Clause{Number: t.sleb()}
		at := t.at
		next := t.sleb()
		switch {
		case c.Number == 0:
			c.Cleanup = true
		case c.Number > 0:
			c.Type = t.typeAt(uint64(c.Number))
			c.All = c.Type == Ref{}
		default:
			c.Unless = true
			t.at = t.base + uint64(-c.Number) - 1
			for len(c.Types) < maxClauses && !t.bad {
				n := t.uleb()
				if n == 0 {
					break
				}
				back := t.at
				c.Types = append(c.Types, t.typeAt(n))
				t.at = back
			}
		}
		out = append(out, c)
		if next == 0 {
			return out
		}
		t.at = at + uint64(next)
	}
	t.bad = true
	return nil
}

// typeAt reads a type by its number.
func (t *types) typeAt(n uint64) Ref {
	size := uint64(8)
	switch t.encoding & 0x0f {
	case 0x02, 0x0a:
		size = 2
	case 0x03, 0x0b:
		size = 4
	}
	if t.encoding == encodedOmit || n > t.base/size {
		t.bad = true
		return Ref{}
	}
	t.at = t.base - n*size
	return t.pointer(t.encoding)
}
