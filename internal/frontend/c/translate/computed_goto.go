package translate

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
)

// Labels as values (GNU C). The address of a label is a number that is the address of nothing else, so that it can be
// stored, compared and subtracted. A computed goto is a branch to the labels of the function whose address is taken; any
// other number is an error of the program.

// labelBase is where the addresses of labels begin: outside all data, after the functions.
const labelBase = 0x7f80_0000_0000

// labelAddresses numbers the labels whose address is taken.
type labelAddresses map[*parse.Label]int64

func (a *labelAddresses) address(l *parse.Label) int64 {
	if *a == nil {
		*a = labelAddresses{}
	}
	n, ok := (*a)[l]
	if !ok {
		n = labelBase + 16*int64(len(*a))
		(*a)[l] = n
	}
	return n
}

// computedGoto is goto *e.
func (f *Statements) computedGoto(s *parse.Stmt) {
	v := f.Code.Keep(f.Exprs.IntegerOrPointer(s.Expr))
	from := f.Code.Start()
	none := ir.Int(1)
	for _, l := range f.Vars.sym.Def.Labels {
		if !l.Taken {
			continue
		}
		if f.inCommon(l) < len(f.Code.cleanups) {
			f.In.Refuse(codeJump, s, "a computed goto out of the scope of a variable with the attribute cleanup is not supported")
		}
		is := ir.Binary(ir.Eq, ir.U64, v.Expr, ir.Int(f.Syms.labels.address(l)))
		f.Code.Assume(from, is, f.gotoLabel(l))
		none = ir.Binary(ir.LAnd, ir.S64, none, ir.Negate(is))
	}
	other := f.Code.Label("")
	f.Code.Assume(from, none, other)
	f.Code.At, f.Code.Fresh = other, false
	f.Code.Check(ir.Int(0), ir.BadAddress, "goto through a pointer that is no label of the function")
	f.Code.Emit(ir.NewOp(ir.Exit))
	f.Code.At, f.Code.Fresh = Nowhere, false
}
