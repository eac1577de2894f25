package looptest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"fencepost/internal/ir"
)

// Observe runs a function for some steps. Its loads find random values. It returns what others could see, and whether
// the function came to its end.
func Observe(f *ir.Func, seed uint64, steps int) (seen []string, ended bool) {
	r := rand.New(rand.NewPCG(seed, 0))
	env := ir.Env{Regs: make([]int64, len(f.Regs))}
	for at := f.Entry; steps > 0; steps-- {
		next := ir.Loc(-1)
		for _, i := range f.Out(at) {
			e := &f.Edges[i]
			if e.Op.Kind == ir.Assume && e.Op.Val.Eval(env) == 0 {
				continue
			}
			next = e.To
			switch e.Op.Kind {
			case ir.Assign:
				env.Regs[e.Op.Dst] = e.Op.Val.Eval(env)
			case ir.Load:
				env.Regs[e.Op.Dst] = int64(r.IntN(3))
				seen = append(seen, fmt.Sprint("load ", env.Regs[e.Op.Dst]))
			case ir.Store, ir.Assert:
				if v, ok := e.Op.Val.IsConst(); ok && v != 0 && e.Op.Kind == ir.Assert {
					break // no thread sees a check of what is always true
				}
				seen = append(seen, fmt.Sprint(e.Op.Kind, " ", e.Op.Val.Eval(env)))
			case ir.Assume, ir.Nop:
			default:
				panic(fmt.Sprint("unexpected ", e.Op.Kind))
			}
			break
		}
		if next < 0 {
			return seen, len(f.Out(at)) == 0
		}
		at = next
	}
	return seen, false
}

// Random returns the text of a random function of nested loops and branches, over registers a, b and c and an object x.
func Random(r *rand.Rand) string {
	w := backOff{r: r}
	w.block(0, 3)
	return w.text.String()
}

// backOff writes a random function. Its next location has the number at.
type backOff struct {
	r    *rand.Rand
	text strings.Builder
	at   int
	last int // the largest number of a location
}

func (w *backOff) edge(from, to int, op string) {
	fmt.Fprintf(&w.text, " l%d -> l%d: %s\n", from, to, op)
}

func (w *backOff) fresh() int {
	w.last++
	return w.last
}

// step adds an edge to a new location, where control goes on.
func (w *backOff) step(op string) {
	to := w.fresh()
	w.edge(w.at, to, op)
	w.at = to
}

func (w *backOff) reg() string { return string(rune('a' + w.r.IntN(3))) }

func (w *backOff) block(depth, most int) {
	for range 1 + w.r.IntN(most) {
		switch k := w.r.IntN(12); {
		case k < 3 && depth < 3:
			w.branch(depth)
		case k < 6 && depth < 3:
			w.loop(depth)
		case k < 9:
			w.step(fmt.Sprintf("%s = %s %s %d", w.reg(), w.reg(), []string{"+", "-", "+u8"}[w.r.IntN(3)], 1+w.r.IntN(5)/4))
		case k == 9 && w.r.IntN(2) == 0:
			w.step(fmt.Sprintf("%s = load [&x]", w.reg()))
		case k == 10 && w.r.IntN(3) == 0:
			w.step(fmt.Sprintf("store [&x] = %s", w.reg()))
		case k == 11 && w.r.IntN(3) == 0:
			w.step(fmt.Sprintf("assert %s", []string{"1", "1", w.reg()}[w.r.IntN(3)]))
		default:
			w.step(fmt.Sprintf("%s = %d", w.reg(), w.r.IntN(4)))
		}
	}
}

// condition returns a comparison and its opposite.
func (w *backOff) condition() (yes, no string) {
	pair := [][2]string{{"<", ">="}, {">", "<="}, {"!=", "=="}, {"==", "!="}}[w.r.IntN(4)]
	limit := fmt.Sprint(w.r.IntN(5))
	if w.r.IntN(3) == 0 {
		limit = w.reg()
	}
	return fmt.Sprintf("assume %%s %s %s", pair[0], limit), fmt.Sprintf("assume %%s %s %s", pair[1], limit)
}

// branch adds two ways that meet, one of them perhaps empty.
func (w *backOff) branch(depth int) {
	yes, no := w.condition()
	reg, from, end := w.reg(), w.at, w.fresh()
	for _, op := range []string{yes, no} {
		w.at = from
		w.step(fmt.Sprintf(op, reg))
		if w.r.IntN(3) > 0 {
			w.block(depth+1, 2)
		}
		w.edge(w.at, end, "nop")
	}
	w.at = end
}

// loop adds a loop that is left at its head, mostly one that counts or waits for a value in memory.
func (w *backOff) loop(depth int) {
	yes, no := w.condition()
	reg, head := w.reg(), w.fresh()
	w.edge(w.at, head, "nop")
	w.at = head
	waits := w.r.IntN(2) == 0
	if waits {
		w.step(fmt.Sprintf("%s = load [&x]", reg))
	}
	test, end := w.at, w.fresh()
	w.edge(test, end, fmt.Sprintf(no, reg))
	w.step(fmt.Sprintf(yes, reg))
	if waits || w.r.IntN(2) == 0 {
		w.block(depth+1, 2)
	}
	if !waits {
		w.step(fmt.Sprintf("%s = %s %s 1", reg, reg, []string{"+", "-"}[w.r.IntN(2)]))
	}
	w.edge(w.at, head, "nop")
	w.at = end
}
