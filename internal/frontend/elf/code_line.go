package elf

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// What each line of the listing was made of, for pages that show both. A function of the source may be in a listing several
// times, inlined or not: each time is an instance of it.

// CodeLine is an instruction whose line in the source of the user is known.
type CodeLine struct {
	Line        int // of the listing
	Symbol      int // the function of the listing, as an index
	Block       int // instructions with one number run one after the other
	Access      bool
	Source      source.Pos
	Instance    string // tells instances of functions of the source apart
	Function    string // of the source, "" if it is not known
	Declaration int    // its line
}

// codeLines collects the lines of a listing.
type codeLines struct {
	all   []CodeLine
	block int
	ended bool // the block ends before the next instruction
}

// add adds an instruction that is made of a line of the source.
func (c *codeLines) add(p *program, f *function, in *inst, line int, at object.Line) {
	if c.ended || in.starts || len(c.all) == 0 || c.all[len(c.all)-1].Symbol != f.index {
		c.block++
	}
	c.ended = in.refused != "" || in.End != lift.Next && !in.isCall() || in.tail
	if at.Line == 0 || isLibrary(at.File) {
		return
	}
	one := CodeLine{Line: line, Symbol: f.index, Block: c.block, Source: source.Pos{File: at.File, Line: at.Line, Col: at.Col}, Access: in.isAccess()}
	one.Instance, one.Function, one.Declaration = p.instanceAt(f, in.addr)
	c.all = append(c.all, one)
}

// isAccess reports whether an instruction accesses memory that may be another thread's: its text has an address that is not
// one of the stack.
func (in *inst) isAccess() bool {
	return in.refused == "" && strings.Contains(in.Text, "[") && !strings.Contains(in.Text, "[rsp") && !strings.Contains(in.Text, "[rbp") &&
		slices.ContainsFunc(in.Ops, func(op ir.Op) bool { return op.Accesses() })
}

// instanceAt returns the function of the source in which the position of an instruction is, as sourceAt has it, and what
// tells its instances apart.
func (p *program) instanceAt(f *function, addr uint64) (instance, name string, decl int) {
	at, frames := p.image.Lines.At(addr), p.image.Lines.Inlined(addr)
	last := -1 // the innermost frame that is not in a library
	for i := range frames {
		inner := at
		if i+1 < len(frames) {
			inner = frames[i+1].Call
		}
		if !isLibrary(inner.File) {
			last = i
		}
	}
	var key strings.Builder
	fmt.Fprint(&key, f.index)
	for _, frame := range frames[:last+1] {
		fmt.Fprintf(&key, " %s:%d:%d", frame.Func, frame.Call.Line, frame.Call.Col)
	}
	if last >= 0 {
		return key.String(), shortName(frames[last].Func), frames[last].Decl
	}
	name, decl = p.image.Lines.Function(f.sym.Addr())
	return key.String(), shortName(name), decl
}
