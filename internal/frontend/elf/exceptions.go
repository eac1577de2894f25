package elf

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// Exceptions of C++.
//
// The idea: a call returns in two ways. A function that an exception leaves returns with the exception in a variable of the
// thread; its caller looks at the variable after the call, and goes on at its handler, or returns, too. All calls are inlined,
// so that nothing has to be known about frames: every function has registers of its own, and the registers of the caller
// stay as they were; the stack pointer has its value at the call, without the parameters that the call has pushed.
//
// The library looks for a handler before anything is undone, and ends the program at once if there is none. So a variable
// of the thread says which types of exceptions the callers of the running function take; a call that has handlers adds theirs.
// Where the callers all agree about a type that is thrown, the variable is not needed.
//
// Invariants:
//   - A variable of the thread holds the exception exactly between the throw and the handler; no instruction runs then.
//   - The mask is the same after a call as before it, whichever way the call returns.
//   - A function of the text in C that calls back the program is called with the mask passBarrier, so that no exception
//     gets out of such a call: one that would is not supported, and known before anything is undone.
//   - Only exceptions that some caller may take are thrown. Every other one is an error where it is thrown.

// exceptions has the facts about the exceptions of a program.
type exceptions struct {
	types        map[string]*typeInfo // by their keys
	outsideNames map[int64]string     // of descriptions of types that no file has, by their addresses
	thrown       []*typeInfo          // the types that are thrown; a mask has a bit for each
	passages     map[*inst]passage
	leaves       map[*function]bool     // an exception may leave the function
	may, must    map[*function]typeMask // which types some callers take, and which all do
	callsBack    bool                   // functions of the library call the program
	masked       bool                   // the mask is needed
	inFlight     ir.ObjectID            // the exception, of each thread
	flightType   ir.ObjectID            // its type
	handled      ir.ObjectID            // the mask
	fates        map[*inst]fate         // of what a call throws
}

// typeMask is a set of types that are thrown.
type typeMask uint64

const (
	maxThrown   = 62
	allTypes    = typeMask(1)<<maxThrown - 1
	passBarrier = typeMask(1) << 63
)

// fate says what becomes of an exception where it is thrown.
type fate uint8

const (
	uncaughtThere fate = iota
	caughtThere
	maskDecides
)

// passage says how an exception gets through a call.
type passage struct {
	barrier string // it is not known, for this reason
	ends    bool   // it ends the program
	site    *object.HandlerSite
}

// passage returns how an exception gets through a call. Through a jump to another function it just gets out.
func (p *program) passage(f *function, in *inst) passage {
	if in.tail || p.image.Find(in.addr) == nil {
		return passage{}
	}
	if known, ok := p.passages[in]; ok {
		return known
	}
	out := passage{}
	at := in.NextAddr() - 1
	switch fr := p.image.FrameAt(at); {
	case fr == nil:
		out.barrier = f.sym.Name + ": the function has no frame in .eh_frame"
	case fr.Personality == "":
	case p.personality(fr) != "__gxx_personality_v0":
		out.barrier = f.sym.Name + ": handlers that " + p.personality(fr) + " reads are not supported"
	default:
		table, ok := p.image.Handlers(fr)
		if !ok {
			out.barrier = f.sym.Name + ": the table of handlers is malformed"
			break
		}
		out.site = table.Site(at)
		out.ends = out.site == nil
	}
	p.passages[in] = out
	return out
}

// personality returns the name of the function that reads the handlers of a frame.
func (p *program) personality(fr *object.UnwindFrame) string {
	if to, err := p.linked(fr.Linkage); err == nil && to.Name != "" {
		return to.Name
	}
	return fr.Personality
}

// outcome says where some types of exceptions lead to at a call.
type outcome struct {
	types  typeMask
	number int64 // that the code at the pad gets
	pad    bool  // the function goes on there; otherwise the exception leaves it
	match
}

// outcomes returns what the types in a mask lead to.
func (p *program) outcomes(s *object.HandlerSite, left typeMask) []outcome {
	if s == nil || s.Pad == 0 {
		return []outcome{{types: left}}
	}
	var out []outcome
	cleanup := false
	take := func(t int, number int64, m match) {
		bit := typeMask(1) << t
		left &^= bit
		for i := range out {
			if out[i].number == number && out[i].match == m {
				out[i].types |= bit
				return
			}
		}
		out = append(out, outcome{types: bit, number: number, pad: true, match: m})
	}
	for _, c := range s.Clauses {
		cleanup = cleanup || c.Cleanup
		for t, thrown := range p.thrown {
			if left>>t&1 == 0 || c.Cleanup {
				continue
			}
			switch {
			case c.All:
				take(t, c.Number, match{is: yes})
			case c.Unless:
				permitted := no
				for _, ref := range c.Types {
					if m := catches(p.typeAt(ref), thrown); m.is == yes || m.is == perhaps && permitted == no {
						permitted = m.is
					}
				}
				if permitted == no {
					take(t, c.Number, match{is: yes})
				} else if permitted == perhaps {
					take(t, c.Number, match{is: perhaps})
				}
			default:
				if m := catches(p.typeAt(c.Type), thrown); m.is != no {
					take(t, c.Number, m)
				}
			}
		}
	}
	if left != 0 {
		out = append(out, outcome{types: left, pad: cleanup, match: match{is: yes}})
	}
	return out
}

// allThrown is the mask of all types that are thrown.
func (p *program) allThrown() typeMask { return typeMask(1)<<len(p.thrown) - 1 }

// takes returns the types for which the library finds a handler at a call.
func (p *program) takes(at passage) typeMask {
	switch {
	case at.ends:
		return allTypes
	case at.site == nil || at.site.Pad == 0:
		return 0
	}
	out := typeMask(0)
	for _, c := range at.site.Clauses {
		if c.All {
			return allTypes
		}
	}
	for _, o := range p.outcomes(at.site, p.allThrown()) {
		if o.pad && o.number != 0 {
			out |= o.types
		}
	}
	return out
}

// above is the mask in a call, of a function with a mask.
func (at passage) above(f, takes typeMask) typeMask {
	if at.barrier != "" {
		return passBarrier
	}
	return f | takes
}

// letsOut reports whether an exception that comes out of a call may leave the function.
func (p *program) letsOut(at passage) bool {
	if at.barrier != "" || at.ends {
		return false
	}
	for _, o := range p.outcomes(at.site, p.allThrown()) {
		if !o.pad {
			return true
		}
	}
	return false
}

// resume goes on with an exception after something was undone.
const resume = "_Unwind_Resume"

// thrownAt returns the types of exceptions that a call throws: one, or any that is thrown elsewhere; or why
// that is not known.
func (p *program) thrownAt(f *function, in *inst) (types typeMask, problem string) {
	var t *typeInfo
	switch m := libraryThrows.FindStringSubmatch(in.extern); {
	case m != nil:
		t = p.typeNamed(typePrefix + standardType(m[1]))
	case again[in.extern]:
		return p.allThrown(), ""
	case strings.HasPrefix(in.extern, "__cxa_throw_") || strings.HasPrefix(in.extern, "__cxa_bad_"):
		t = p.typeNamed(typePrefix + standardType(strings.TrimPrefix(strings.TrimPrefix(in.extern, "__cxa_throw_"), "__cxa_")))
	default:
		if t = p.typeOf(f.constant(in, argumentRegs[1])); t == nil {
			return p.mentioned(f)
		}
	}
	return p.bit(t)
}

// mentioned returns the types whose descriptions a function mentions: compilers make one call of several that throw.
func (p *program) mentioned(f *function) (types typeMask, problem string) {
	for _, d := range p.descriptions(f) {
		bit, problem := p.bit(p.typeOf(d))
		if problem != "" {
			return 0, problem
		}
		types |= bit
	}
	if types == 0 {
		return 0, "the type of the exception is not a constant before the call"
	}
	return types, ""
}

// descriptions returns the addresses of descriptions of types that a function mentions.
func (p *program) descriptions(f *function) []*ir.Expr {
	var out []*ir.Expr
	for _, in := range f.order {
		if in.Inst == nil {
			continue
		}
		for i := range in.Ops {
			op := &in.Ops[i]
			if op.Kind == ir.Assign && (op.Val.Op == ir.AddrOf || op.Val.Op == ir.Const) && p.typeOf(op.Val) != nil && !slices.ContainsFunc(out, op.Val.Equal) {
				out = append(out, op.Val)
			}
		}
	}
	return out
}

// bit returns the mask of a type that is thrown.
func (p *program) bit(t *typeInfo) (types typeMask, problem string) {
	for i, known := range p.thrown {
		if known == t {
			return 1 << i, ""
		}
	}
	if len(p.thrown) == maxThrown {
		return 0, fmt.Sprintf("more than %d types of exceptions", maxThrown)
	}
	p.thrown = append(p.thrown, t)
	return 1 << (len(p.thrown) - 1), ""
}

// standardType returns a class of exceptions of the library as names of symbols have it.
func standardType(name string) string {
	if name == "ios_failure" {
		return "NSt8ios_base7failureB5cxx11E"
	}
	return fmt.Sprintf("St%d%s", len(name), name)
}
