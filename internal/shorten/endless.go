package shorten

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/endless"
	"fencepost/verdict"
)

// AddRounds returns a witness that leads to loops which no thread can end, with a round of each loop added:
// the steps that repeat for ever are its last ones.
func AddRounds(p *ir.Program, model memory.Model, w *verdict.Witness) (*verdict.Witness, error) {
	y, r, err := rerun(p, model, w)
	if err != nil {
		return nil, err
	}
	before, round, ok := endless.New(y).Rounds(r.State())
	if !ok {
		return nil, fmt.Errorf("the execution does not end in loops that no thread can end")
	}
	for _, st := range append(before, round...) {
		r.Step(st)
	}
	out := r.Witness()
	out.Repeats = len(round)
	if w.Graph != nil {
		out.Graph, err = extend(w.Graph, out, len(w.Steps))
	}
	return out, err
}

// Loop is a loop that a thread goes round for ever.
type Loop struct {
	Thread string
	Step   int // of the witness: the first step of the round
	Reads  []LoopRead
}

// LoopRead is memory that a round of a loop reads.
type LoopRead struct {
	Step    int // of the witness
	Writers []Writer
}

// Writer is another thread whose code writes what a loop reads.
type Writer struct {
	Thread string
	May    bool   // it writes at addresses that are not known, perhaps this one
	Does   string // where it is in the end: "has ended", "waits", "loops as well", "was not started"
}

// Loops returns the loops that an execution ends with, by thread.
func Loops(p *ir.Program, model memory.Model, w *verdict.Witness) ([]Loop, error) {
	y, r, err := rerun(p, model, w)
	if err != nil {
		return nil, err
	}
	var all []Loop
	at := map[int]int{}
	for i := len(w.Steps) - w.Repeats; i < len(w.Steps); i++ {
		if _, known := at[w.Steps[i].Thread]; !known {
			at[w.Steps[i].Thread] = len(all)
			all = append(all, Loop{Thread: w.Threads[w.Steps[i].Thread], Step: i})
		}
	}
	for i := len(w.Steps) - w.Repeats; i < len(w.Steps); i++ {
		st := &w.Steps[i]
		loop := &all[at[st.Thread]]
		known := slices.ContainsFunc(loop.Reads, func(x LoopRead) bool { return w.Steps[x.Step].Addr == st.Addr })
		if known || st.Kind != verdict.StepLoad && st.Kind != verdict.StepRMW {
			continue
		}
		read := LoopRead{Step: i}
		does, may := endless.Writers(p, st.Addr, st.Size)
		for i, u := range append(does, may...) {
			if int(u) == st.Thread {
				continue
			}
			one := Writer{w.Threads[u], i >= len(does), "waits"}
			switch _, loops := at[int(u)]; {
			case !r.State().Started(u):
				one.Does = "was not started"
			case y.Thread(r.State(), int(u)).Ended():
				one.Does = "has ended"
			case loops:
				one.Does = "loops as well"
			}
			read.Writers = append(read.Writers, one)
		}
		loop.Reads = append(loop.Reads, read)
	}
	return all, nil
}
