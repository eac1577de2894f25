package replay

import (
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// UndefinedValue says where the undefined value came from that decides something in the last step of a witness.
type UndefinedValue struct {
	Edge   ir.EdgeID   // that made it undefined: an allocation or a declaration; NoEdge: the beginning of the thread's function
	Reg    ir.Reg      // the variable, or NoReg
	Object ir.ObjectID // the object that a variable became, or NoObject
	Read   int         // the step that read the value from memory last, or -1
}

// FindUndefined returns the undefined value that a witness ends with. It returns nil if the witness does not end with the
// check of one.
func FindUndefined(p *ir.Program, model Model, w *verdict.Witness) *UndefinedValue {
	last := len(w.Steps) - 1
	if last < 0 {
		return nil
	}
	st := &w.Steps[last]
	_, e, ok := p.EdgeByID(ir.EdgeID(st.Edge))
	if !ok || e.Op.Kind != ir.Assert || e.Op.Report.Class != ir.Uninitialised {
		return nil
	}
	m, err := newMachine(p, model)
	if err != nil {
		return nil
	}
	s := initial(p)
	for i := range w.Steps[:last] {
		tr, err := m.replayStep(s, i, &w.Steps[i])
		if err != nil || tr.fail != nil {
			return nil
		}
		s = tr.next
	}
	c := m.turn(s, st.Thread, e, last)
	from := c.th.read
	for _, x := range e.Op.Call.Args {
		if u := c.undefinedIn(x); u.mask != 0 && u.from != nil {
			from = u.from
			break
		}
	}
	if from == nil {
		return nil
	}
	return &UndefinedValue{Edge: from.edge, Reg: from.reg, Object: from.object, Read: from.read}
}
