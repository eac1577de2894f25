package testkit

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
)

// Automatic returns a random flat program whose threads have blocks on the stack, and pointers to them: most stay in their
// thread, and some are handed on, compared or computed in ways that C does not define. Each block is written where it
// begins.
func Automatic(seed uint64) (*ir.Program, string) {
	a := &automatic{rng: rand.New(rand.NewPCG(seed, 0xa070))}
	a.line("program automatic flat")
	a.line("object x size 8")
	a.line("object y size 8")
	a.wild = a.rng.IntN(3) == 0
	threads := 1 + a.rng.IntN(2)
	spawned := threads == 1 || a.rng.IntN(4) == 0
	for t := range threads {
		a.thread(t, fmt.Sprintf("t%d()", t), t == 0 && spawned, 4+a.rng.IntN(6))
	}
	if spawned {
		a.thread(threads, "child(p0)", false, 2+a.rng.IntN(4))
	}
	for t := range threads {
		a.line(fmt.Sprintf("thread t%d = t%d()", t, t))
	}
	if spawned {
		a.line("thread child = child() spawned")
	}
	text := a.b.String()
	p, diags := irtext.Parse("automatic.ir", []byte(text))
	if diags.HasErrors() {
		panic(fmt.Sprintf("BUG: a random program that cannot be read: %v\n%s", diags.All, text))
	}
	return p, text
}

// automatic writes a program.
type automatic struct {
	rng  *rand.Rand
	b    strings.Builder
	wild bool // it may use addresses for more than accesses
	at   int  // the location
}

func (a *automatic) line(s string) { a.b.WriteString(s + "\n") }

// op adds an operation.
func (a *automatic) op(text string) {
	a.line(fmt.Sprintf("  L%d -> L%d: %s", a.at, a.at+1, text))
	a.at++
}

const (
	automaticPointers = 3
	automaticNumbers  = 2
	automaticLocs     = 80
)

func (a *automatic) pointer() string { return fmt.Sprintf("p%d", a.rng.IntN(automaticPointers)) }

func (a *automatic) number() string { return fmt.Sprintf("i%d", a.rng.IntN(automaticNumbers)) }

func (a *automatic) shared() string { return []string{"&x", "&y"}[a.rng.IntN(2)] }

// thread writes a function.
func (a *automatic) thread(number int, head string, spawns bool, n int) {
	a.line("func " + head + " {")
	for k := range automaticPointers {
		if name := fmt.Sprintf("p%d", k); !strings.Contains(head, name) {
			a.line("  reg " + name)
		}
	}
	for k := range automaticNumbers {
		a.line(fmt.Sprintf("  reg i%d", k))
	}
	a.line("  reg n")
	for k := range automaticLocs {
		a.line(fmt.Sprintf("  loc L%d", k))
	}
	a.at = 0
	if !strings.Contains(head, "p0") || a.rng.IntN(2) == 0 {
		a.block("p0")
	}
	loop := -1
	for k := range n {
		if k == n/3 && a.rng.IntN(3) == 0 {
			loop = a.at
		}
		if spawns && k == n/2 {
			a.op(fmt.Sprintf("i0 = spawn {child}(%s)", a.handed()))
			spawns = false
			continue
		}
		a.any()
	}
	if loop >= 0 { // three rounds
		a.op("n = (n + 1)")
		a.line(fmt.Sprintf("  L%d -> L%d: assume (n < 3)", a.at, loop))
		a.op("assume (n >= 3)")
	}
	a.op("return " + a.handed())
	a.line("}")
}

// handed returns a value that is handed on: a number, or in wild programs a pointer.
func (a *automatic) handed() string {
	if a.wild && a.rng.IntN(2) == 0 {
		return a.pointer()
	}
	return "0"
}

// block allocates a block, and writes it.
func (a *automatic) block(p string) {
	words := 1 + a.rng.IntN(2)
	a.op(fmt.Sprintf("%s = alloc.stack.undef %d", p, 8*words))
	for k := range words {
		a.op(fmt.Sprintf("store.s64 [(%s + %d)] = %d", p, 8*k, k))
	}
}

// any adds an operation, or a few.
func (a *automatic) any() {
	p, q, i := a.pointer(), a.pointer(), a.number()
	c := 8 * a.rng.IntN(2)
	most := 12
	if a.wild {
		most = 21
	}
	switch a.rng.IntN(most) {
	case 0, 1:
		a.block(p)
	case 2:
		a.op(fmt.Sprintf("store.s64 [(%s + %d)] = %s", p, c, i))
	case 3:
		a.op(fmt.Sprintf("%s = load.s64 [(%s + %d)]", i, p, c))
	case 4:
		a.op(fmt.Sprintf("%s = (%s + %d)", p, q, 8*(a.rng.IntN(3)-1)))
	case 5:
		a.op(fmt.Sprintf("%s = (%s ? %s : %s)", p, i, p, q))
	case 6:
		a.op(fmt.Sprintf("store.s64 [%s] = %d", a.shared(), 1+a.rng.IntN(2)))
	case 7:
		a.op(fmt.Sprintf("%s = load.s64 [%s]", i, a.shared()))
	case 8:
		a.op(fmt.Sprintf("assert (%s != %d)", i, a.rng.IntN(4)))
	case 9:
		a.op(fmt.Sprintf("free.stack [%s]", p))
	case 10:
		a.op(fmt.Sprintf("%s = (%s & 1)", i, i))
	case 11:
		a.op(fmt.Sprintf("store.s64 [(%s + (8 * (%s & 1)))] = %d", p, i, a.rng.IntN(3)))
	case 12:
		a.op(fmt.Sprintf("store.s64 [%s] = %s", a.shared(), p))
	case 13:
		a.op(fmt.Sprintf("store.s64 [%s] = %s", p, q))
	case 14:
		a.op(fmt.Sprintf("%s = load.s64 [%s]", p, a.shared()))
	case 15:
		a.op(fmt.Sprintf("%s = (%s - %s)", i, p, q))
	case 16:
		a.op(fmt.Sprintf("%s = (%s + %s)", p, q, i))
	case 17:
		a.op(fmt.Sprintf("%s = (%s + %d)", p, q, 32*(a.rng.IntN(3)-1)))
	case 18:
		a.op(fmt.Sprintf("%s = (%s & -32)", p, q))
	case 19:
		a.op(fmt.Sprintf("assert (%s != %s)", p, q))
	case 20:
		a.op(fmt.Sprintf("%s = %d", p, 0x2000_4000_0000+32*a.rng.IntN(3)))
	}
}
