package replay

import (
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// spinning returns a program in which thread a waits in a loop for x and counts the rounds in a register
// that is never read, b waits in a loop for y, and c stores into z and ends; and an execution that leads
// into the loops, with a round of each.
func spinning(model Model) (*ir.Program, *verdict.Witness) {
	p := newProg("x", "y", "z")
	loop := func(name, on string, counts bool) (load, again ir.EdgeID, count ir.EdgeID) {
		c := p.thread(name)
		head := c.at
		load = c.load("r", on)
		if counts {
			add := ir.NewOp(ir.Assign)
			add.Dst, add.Val = c.reg("n"), ir.Binary(ir.Add, ir.S64, c.r("n"), ir.Int(1))
			count = c.op(add)
		}
		stay := ir.NewOp(ir.Assume)
		stay.Val = ir.Binary(ir.Eq, ir.S64, c.r("r"), ir.Int(0))
		again = c.edge(stay, head)
		leave := ir.NewOp(ir.Assume)
		leave.Val = ir.Binary(ir.Ne, ir.S64, c.r("r"), ir.Int(0))
		c.op(leave)
		return load, again, count
	}
	la, aa, na := loop("a", "x", true)
	lb, ab, _ := loop("b", "y", false)
	c := p.thread("c")
	st := c.store("z", 1)
	q, _ := p.build()
	x, y, z := p.b.Addr(p.objs["x"]), p.b.Addr(p.objs["y"]), p.b.Addr(p.objs["z"])
	w := &verdict.Witness{Threads: []string{"a", "b", "c"}, Steps: []verdict.Step{
		{Thread: 2, Kind: verdict.StepStore, Edge: int(st), Of: -1, Addr: z, Size: 8, Data: verdict.Data{Value: 1}, Buffered: model != SC},
	}}
	if model != SC {
		w.Steps = append(w.Steps, verdict.Step{Thread: 2, Kind: verdict.StepFlush, Edge: -1, Of: 0, Addr: z, Size: 8, Data: verdict.Data{Value: 1}})
	}
	w.Steps = append(w.Steps,
		verdict.Step{Thread: 0, Kind: verdict.StepLoad, Edge: int(la), Of: -1, Addr: x, Size: 8},
		verdict.Step{Thread: 0, Kind: verdict.StepExec, Edge: int(na), Of: -1},
		verdict.Step{Thread: 0, Kind: verdict.StepExec, Edge: int(aa), Of: -1},
		verdict.Step{Thread: 1, Kind: verdict.StepLoad, Edge: int(lb), Of: -1, Addr: y, Size: 8},
		verdict.Step{Thread: 1, Kind: verdict.StepExec, Edge: int(ab), Of: -1},
	)
	w.Repeats = 5
	return q, w
}

func TestEndless(t *testing.T) {
	for _, model := range []Model{SC, TSO, PSO} {
		p, w := spinning(model)
		if err := Replay(p, nil, model, w, Expect{Target: TargetEndless}); err != nil {
			t.Errorf("%v: %v", model, err)
		}
	}
}

func TestEndlessRefused(t *testing.T) {
	cases := []struct {
		name   string
		change func(*verdict.Witness)
		says   string
	}{
		{"nothing repeats", func(w *verdict.Witness) { w.Repeats = 0 }, "the witness has none"},
		{"more repeats than there is", func(w *verdict.Witness) { w.Repeats = 8 }, "8 steps repeat, the witness has 7"},
		{"not a whole round", func(w *verdict.Witness) { w.Repeats = 3 }, "computed another one"},
		{"cut off inside a round", func(w *verdict.Witness) { w.Steps, w.Repeats = w.Steps[:6], 4 }, "computed another one"},
		{"one thread never moves", func(w *verdict.Witness) { w.Repeats = 2 }, "thread a could move at any time and does not"},
		{"a store that waits for ever", func(w *verdict.Witness) { w.Steps = append(w.Steps[:1:1], w.Steps[2:]...) }, "a store of thread c waits for ever"},
		{"a store before the round", func(w *verdict.Witness) { w.Repeats = 6 }, "computed another one"},
	}
	for _, c := range cases {
		p, w := spinning(TSO)
		c.change(w)
		if err := Replay(p, nil, TSO, w, Expect{Target: TargetEndless}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}
