package smc

import (
	"fmt"
	"testing"

	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

func dump(x *explorer) string {
	out := ""
	for i := range x.ev {
		e := &x.ev[i]
		n := "T"
		if x.procs[e.proc].aux {
			n = "U"
		}
		out += fmt.Sprintf("%s%d", n, e.thread)
		if e.label != (label{}) {
			out += fmt.Sprintf("#%d.%x", e.label.edge, e.label.choice)
		}
		out += ":"
		for k := range e.size() {
			a := e.at(k)
			out += fmt.Sprintf("%x%s ", a.addr>>28&0xff000000|a.addr&0xffff|a.addr>>40, []string{"", "r", "w", "rw", "", "v", "", ""}[a.mode])
		}
		if e.fwd != none {
			out += "f"
		}
		if e.flags&ends != 0 {
			out += "!"
		}
		out += "; "
	}
	return out
}

func TestDebug(t *testing.T) {
	pr := testkit.Profiles[*firstSeed%len(testkit.Profiles)]
	p := testkit.Generate(uint64(*firstSeed), pr)
	p.Threads = [][]testkit.Stmt{p.Threads[0][:], p.Threads[1][:]}
	flat, _ := p.Flat()
	x, _, _ := exploreAll(t, flat, memory.PSO, false)
	t.Log(x.out)
}
