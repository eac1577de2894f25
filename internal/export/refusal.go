package export

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Refusal says that the other language cannot express a construct, where and why.
type Refusal struct {
	Pos    source.Span
	Reason string
}

// Refuser collects refusals.
type Refuser struct {
	Refusals []Refusal
	refused  map[Refusal]bool // the refusals as a set
}

// Refuse records a construct that cannot be expressed. It records equal refusals once.
func (w *Refuser) Refuse(pos source.Span, format string, args ...any) {
	r := Refusal{Pos: pos, Reason: fmt.Sprintf(format, args...)}
	if w.refused == nil {
		w.refused = map[Refusal]bool{}
	}
	if !w.refused[r] {
		w.refused[r] = true
		w.Refusals = append(w.Refusals, r)
	}
}

// Text returns a program that was written: its head, and then its body. If something was refused, it is empty.
func (w *Refuser) Text(body string, head ...func(*strings.Builder)) (string, []Refusal) {
	if len(w.Refusals) > 0 {
		return "", w.Refusals
	}
	var out strings.Builder
	for _, write := range head {
		write(&out)
	}
	out.WriteString(body)
	return out.String(), nil
}

// RefuseAlways refuses what no language but C has: numbers of floating point, memory whose bits may be undefined, and
// threads of any number. It reports whether there is any of it.
func (w *Refuser) RefuseAlways(p *ir.Program, language string) bool {
	if p.Form != ir.Flat {
		panic("BUG: only flat programs can be exported")
	}
	for i := range p.Threads {
		if th := &p.Threads[i]; th.Unbounded {
			w.Refuse(th.Pos, "thread %s stands for any number of threads; give --threads", th.Name)
		}
	}
	if e := p.FloatingPoint(); e != nil {
		w.Refuse(e.Pos, "floating point cannot be exported to %s", language)
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if e := &f.Edges[i]; e.Op.Undef.Dst != ir.NoReg {
				w.Refuse(e.Pos, "whether the memory read here is initialised cannot be exported to %s; give --uninitialised zero", language)
				return true
			}
		}
	}
	return len(w.Refusals) > 0
}
