package pipeline

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Steps in words.

// storeText returns the effect of a store: x = 1, or free of a block.
func storeText(st *verdict.Step) string {
	if st.Free {
		return "free of " + st.Cell()
	}
	return fmt.Sprintf("%s = %s", st.Cell(), st.ValueText())
}

// loadText returns the action of a step that counts as a load, with its verb.
func loadText(flat *ir.Program, st *verdict.Step) string {
	if st.Kind == verdict.StepLoad {
		return "loads " + st.Cell()
	}
	return "does " + actionText(flat, st)
}

// writeText returns the action of a step that writes, as after "may".
func writeText(flat *ir.Program, st *verdict.Step) string {
	if st.Kind == verdict.StepStore && !st.Free {
		return "write " + st.Cell()
	}
	return "do " + actionText(flat, st)
}

// actionText returns the action of a step that is no plain access, such as "its signal of c".
func actionText(flat *ir.Program, st *verdict.Step) string {
	_, e, ok := flat.EdgeByID(ir.EdgeID(st.Edge))
	switch {
	case st.Kind == verdict.StepWake:
		return "its wake-up"
	case st.Kind == verdict.StepStore && !st.Free:
		return "its store " + storeText(st)
	case !ok:
		return "its step"
	case e.Op.Kind == ir.Alloc:
		return "its allocation"
	case st.Location != "":
		return fmt.Sprintf("its %s of %s", e.Op.Kind, st.Cell())
	case len(st.Accesses) > 0:
		return fmt.Sprintf("its %s of %s", e.Op.Kind, flat.LocationName(st.Accesses[0].Addr, st.Accesses[0].Size))
	default:
		return "its " + e.Op.Kind.String()
	}
}

// PositionText is where a step is.
func PositionText(st *verdict.Step) string {
	if st.Pos == nil {
		return "no position"
	}
	return st.Pos.String()
}
