//go:build !fencepost_small

package pipeline

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/replay"
	"fencepost/internal/source"
	"fencepost/verdict"
)

// uninitialisedWords says where the value came from that decides something at the end of a witness although it was never
// written. It returns "" if the witness does not end like that.
func uninitialisedWords(flat *ir.Program, model memory.Model, w *verdict.Witness) string {
	m, err := replay.ParseModel(model.String())
	if err != nil {
		return ""
	}
	u := replay.FindUndefined(flat, m, w)
	if u == nil {
		return ""
	}
	n := newNarrator(w)
	thread := ir.ThreadID(w.Steps[len(w.Steps)-1].Thread)
	name, pos, block := undefinedName(flat, thread, u)
	if u.Read < 0 {
		return fmt.Sprintf("%s has no value: nothing was assigned to it since its declaration%s.", name, n.atSpan(pos))
	}
	st := &w.Steps[u.Read]
	reader := fmt.Sprintf("%s read %s%s", w.Threads[st.Thread], st.Cell(), n.at(u.Read))
	switch {
	case block:
		return fmt.Sprintf("%s; these bits of the block were never written since %s returned it%s.", reader, name, n.atSpan(pos))
	case strings.HasPrefix(st.Cell()+".", name+".") || strings.HasPrefix(st.Cell(), name+"["):
		return fmt.Sprintf("%s, of which bits were never written since the declaration of %s%s.", reader, name, n.atSpan(pos))
	default:
		return fmt.Sprintf("%s; these bits came from %s, where they were never written since its declaration%s.", reader, name, n.atSpan(pos))
	}
}

// undefinedName returns the name of a variable, or of the function that allocated a block, and where it was declared or
// called.
func undefinedName(p *ir.Program, thread ir.ThreadID, u *replay.UndefinedValue) (name string, pos source.Span, block bool) {
	if f, e, ok := p.EdgeByID(u.Edge); ok {
		switch {
		case e.Op.Kind == ir.Alloc:
			name, pos := plainName(e.Op.Block.Name), e.Pos
			for i := len(e.Stack) - 1; i >= 0 && strings.HasPrefix(pos.File, "<"); i-- { // in a source of ours: where the program calls it
				name, pos = e.Stack[i].Func, source.At(e.Stack[i].Call)
			}
			return name, pos, !e.Op.Block.Stack
		case e.Op.Block.Undef && u.Object != ir.NoObject:
			return plainName(p.Objects[u.Object].Name), p.Objects[u.Object].Pos, false
		case u.Reg != ir.NoReg:
			return plainName(f.Regs[u.Reg].Name), f.Regs[u.Reg].Pos, false
		default: // a variable in memory whose scope begins again
			return "a variable", e.Pos, false
		}
	}
	r := &p.ThreadFunc(thread).Regs[u.Reg]
	return plainName(r.Name), r.Pos, false
}

// plainName returns a name as the source has it: without the functions that it is inside, and without a number.
func plainName(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	name, _, _ = strings.Cut(name, "#")
	return name
}

// atSpan returns a position in parentheses, "" if there is none.
func (n *narrator) atSpan(s source.Span) string {
	if s.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", n.short(s.File), s.Line)
}
