package waiting

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
)

var (
	needPrograms = flag.Int("fp.needs", 3000, "how many random functions TestNeedsAgainstDefinition takes")
	needSeed     = flag.Uint64("fp.needseed", 1, "seed of TestNeedsAgainstDefinition")
)

// TestNeedsAgainstDefinition: in random functions, the same variables are needed at each location as by the definition, a
// set of equations that is solved by going over all edges until nothing changes.
func TestNeedsAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(*needSeed, 0))
	needed, free, objects := 0, 0, 0
	for n := range *needPrograms {
		text := randomNeeds(r)
		p, diags := irtext.Parse("test.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatalf("%v\n%s", diags.All, text)
		}
		d := &delayer{f: p.Funcs[0], objects: wholeObjects(p, nil)[0]}
		var found []delay
		for range r.IntN(4) {
			found = append(found, delay{drop: int32(r.IntN(len(d.f.Edges))), keep: int32(r.IntN(len(d.f.Edges)))})
		}
		got, want := d.needs(found), defineNeeds(d, found)
		variables := []variable{nothing}
		for v := range d.f.Regs {
			variables = append(variables, variable(v))
		}
		for o := range p.Objects {
			variables = append(variables, ^variable(o))
		}
		for l := range d.f.Locs {
			for _, v := range variables {
				known := v < 0 && !d.objects[ir.ObjectID(^v)] // an object that is no variable is not asked about
				if is := got.has(ir.Loc(l), v); is != (want[l][v] && !known) {
					t.Fatalf("program %d: variable %d at location %d needed: %v, by definition %v\nfree: %v\n%s",
						n, v, l, is, want[l][v], found, text)
				}
				if want[l][v] && !known {
					needed++
				}
			}
		}
		free += len(found)
		objects += len(d.objects)
	}
	if needed == 0 || free == 0 || objects == 0 {
		t.Errorf("%d needed variables, %d branches that make no difference, %d objects: something is never tried", needed, free, objects)
	}
}

// defineNeeds returns the smallest sets with: a variable is needed before an edge if the operation uses it, but for
// operations that only assign to a variable and free edges, which need nothing by themselves; if the operation assigns to
// a needed variable a value that depends on it; or if it is needed after the edge and the operation does not give it a
// value.
func defineNeeds(d *delayer, found []delay) []map[variable]bool {
	need := make([]map[variable]bool, len(d.f.Locs))
	for l := range need {
		need[l] = map[variable]bool{}
	}
	for more := true; more; {
		more = false
		for i := range d.f.Edges {
			e := &d.f.Edges[i]
			before := maps.Clone(need[e.To])
			v, val, only := d.assigns(&e.Op)
			isFree := slices.ContainsFunc(found, func(l delay) bool { return l.drop == int32(i) || l.keep == int32(i) })
			maps.DeleteFunc(before, func(w variable, _ bool) bool { return only && v == w || defines(&e.Op, w) })
			if only && need[e.To][v] {
				uses(val, func(w variable) { before[w] = true })
			}
			if !only && !isFree {
				e.Op.Uses(func(r ir.Reg) { before[variable(r)] = true })
			}
			for w := range before {
				more = more || !need[e.From][w]
				need[e.From][w] = true
			}
		}
	}
	return need
}

// randomNeeds returns a program with a random function and one more thread, as text. It has enough registers for
// several words of bits, most of them unused.
func randomNeeds(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("program test flat\nobject x size 8\nobject y size 8\nobject z size 8\n")
	b.WriteString("func f() {\n")
	for i := range 70 + r.IntN(70) {
		fmt.Fprintf(&b, " reg r%d\n", i)
	}
	some := []int{r.IntN(70), r.IntN(70), 63, 64} // registers of the program; two at the border of a word
	reg := func() string { return fmt.Sprint("r", some[r.IntN(len(some))]) }
	obj := func() string { return []string{"x", "y", "z"}[r.IntN(3)] }
	locs := 2 + r.IntN(9)
	for i := range locs + r.IntN(locs) {
		from, to := i%locs, r.IntN(locs+1)
		if r.IntN(2) == 0 {
			to = (from + 1) % (locs + 1)
		}
		op := ""
		switch r.IntN(10) {
		case 0:
			op = fmt.Sprintf("%s = %d", reg(), r.IntN(3))
		case 1, 2:
			op = fmt.Sprintf("%s = %s + %s", reg(), reg(), reg())
		case 3:
			op = fmt.Sprintf("assume %s < %s", reg(), reg())
		case 4, 5:
			op = fmt.Sprintf("%s = load [&%s]", reg(), obj())
		case 6:
			op = fmt.Sprintf("store [&%s] = %s", obj(), reg())
		case 7:
			op = fmt.Sprintf("%s = rmw.xchg [&x], %s", reg(), reg())
		case 8:
			op = fmt.Sprintf("%s = load [%s]", reg(), reg())
		case 9:
			op = fmt.Sprintf("assert %s != %s", reg(), reg())
		}
		fmt.Fprintf(&b, " l%d -> l%d: %s\n", from, to, op)
	}
	b.WriteString("}\nfunc g() {\n a -> b: store [&x] = 5\n}\nthread f = f()\nthread g = g()\n")
	return b.String()
}
