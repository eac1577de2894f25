package encode

import (
	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
)

// Covered refuses thread-private memory of threads of which there are many, and mutexes whose words
// the program reads.
func (pr *Problem) Covered(left map[ir.ObjectID]bool) error {
	locked := map[int]bool{}
	for _, c := range pr.Classes {
		for i := range c.Code.Edges {
			op := &c.Code.Edges[i].Op
			if c.Many && program.AccessesMemory(op) && left[pr.Home(op)] {
				return program.Refuse(&c.Code.Edges[i], "%s, which is private to each of many threads, is not covered", pr.Prog.Objects[pr.Home(op)].Name)
			}
			if program.UsesMutex(op) {
				locked[pr.Locate(op, pr.Env(pr.Registers(c, "a"))).Region] = true
			}
		}
	}
	for _, c := range pr.Classes {
		for i := range c.Code.Edges {
			e := &c.Code.Edges[i]
			if !e.Op.Accesses() || program.TestsMutex(&e.Op) {
				continue
			}
			r := pr.Locate(&e.Op, pr.Env(pr.Registers(c, "a"))).Region
			zero, destroys := false, false
			if e.Op.Kind == ir.Store {
				v, ok := e.Op.Val.IsConst()
				zero, destroys = ok && v == 0, ok && v == ir.DestroyedMutex && e.Op.Type.Bits == 64
			}
			if locked[r] && (pr.IsSingle(r) && !zero || destroys) {
				return program.Refuse(e, "the word of a mutex is accessed by other instructions")
			}
		}
	}
	return nil
}
