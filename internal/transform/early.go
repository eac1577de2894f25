package transform

import "fencepost/internal/ir"

// Registers that a function reads before it writes them: a copy of it gives them their first values.

// readBeforeWritten returns the registers that are live at the entry of a function.
func (b *flattener) readBeforeWritten(f *ir.Func) []ir.Reg {
	if regs, ok := b.early[f]; ok {
		return regs
	}
	b.early[f] = readBeforeWritten(f)
	return b.early[f]
}

func readBeforeWritten(f *ir.Func) []ir.Reg {
	live, automatic := make([][]bool, len(f.Locs)), automaticBlocks(f)
	for l := range live {
		live[l] = make([]bool, len(f.Regs))
	}
	for changed := true; changed; {
		changed = false
		for i := len(f.Edges) - 1; i >= 0; i-- {
			e := &f.Edges[i]
			in := append([]bool(nil), live[e.To]...)
			e.Op.Defs(func(r ir.Reg) { in[r] = false })
			e.Op.Uses(func(r ir.Reg) { in[r] = true })
			if e.Op.Kind == ir.ThreadExit || e.Op.Kind == ir.Call { // the thread may end there
				for _, r := range automatic {
					in[r] = true
				}
			}
			for r, is := range in {
				if is && !live[e.From][r] {
					live[e.From][r] = true
					changed = true
				}
			}
		}
	}
	var out []ir.Reg
	for r, is := range live[f.Entry] {
		if is {
			out = append(out, ir.Reg(r))
		}
	}
	return out
}
