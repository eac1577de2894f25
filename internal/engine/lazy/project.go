package lazy

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// project turns an SC execution of R into a TSO execution of the program [BCDM15 Lemma 1]: an edge
// that executes an instruction becomes that instruction, and a store of R becomes the step in which
// the oldest pending store of its thread reaches memory.
func (r *refinement) project(v *engine.Violation) error {
	y := memory.New(r.task.Program, memory.TSO, memory.Options{})
	rec := engine.NewRecorder(y)
	kinds := map[int]ir.OpKind{}
	for _, f := range r.x.Program.Funcs {
		for i := range f.Edges {
			kinds[int(f.Edges[i].ID)] = f.Edges[i].Op.Kind
		}
	}
	for i := range v.Witness.Steps {
		st := &v.Witness.Steps[i]
		if st.Kind == verdict.StepFlush {
			return fmt.Errorf("a flush in an SC execution")
		}
		of := r.x.Of[st.Edge]
		if of != ir.NoEdge && r.copyOf != nil {
			of = r.copyOf[of]
		}
		if of != ir.NoEdge {
			if err := take(y, rec, st, of); err != nil {
				return err
			}
		}
		if fault, failed := rec.State().Fault(); failed {
			*v = engine.Violation{Kind: engine.CheckFailed, Class: fault.Class, Edge: ir.NoEdge, Witness: rec.Witness()}
			if fault.Edge != nil {
				v.Edge = fault.Edge.ID
			}
			return nil
		}
		t := ir.ThreadID(st.Thread)
		if k := kinds[st.Edge]; (k == ir.Store || k == ir.Free) && len(rec.State().Buffer(t)) > 0 {
			rec.Step(memory.Step{Thread: int32(t), Kind: memory.Flush})
		}
	}
	if v.Kind == engine.CheckFailed {
		return fmt.Errorf("a check that fails in R does not fail in the program")
	}
	v.Witness = rec.Witness()
	return nil
}

// take records the step of a thread along an edge, of the same kind as a step of R.
func take(y *memory.System, rec *engine.Recorder, st *verdict.Step, edge ir.EdgeID) error {
	for _, s := range y.EnabledEdges(rec.State(), st.Thread, nil) {
		if y.EdgeOf(rec.State(), s).ID == edge && s.Choice == st.Choice && (s.Kind == memory.Wake) == (st.Kind == verdict.StepWake) {
			rec.Step(s)
			return nil
		}
	}
	return fmt.Errorf("thread %s cannot take edge %d after %d steps", y.Prog.Threads[st.Thread].Name, edge, len(rec.Witness().Steps))
}
