package fp_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var (
	lowerings    = flag.Int("fp.lowering", 500, "random programs of the differential test of the lowering")
	loweringSeed = flag.Int64("fp.seed", 1, "seed of the first of them")
)

// outcome of one comparison.
type outcome uint8

const (
	_       outcome = iota
	agree           // the same answers
	differ          //
	refused         // for a constant that cannot be: no program
	tooBig          // for the reference
)

// refusals are the codes of mistakes the generator makes: a constant divisor, index
// or range that cannot be.
var refusals = []string{"FP0302", "FP0303", "FP0307"}

// compareLowering holds the translation of a program against the interpreter of its
// syntax tree.
func compareLowering(p *srcProgram) (outcome, string) {
	u, list := fp.Parse(source.NewFile("random.fp", []byte(p.text())), statement.Options{})
	for _, d := range list.All {
		if !slices.Contains(refusals, d.Code) {
			return differ, fmt.Sprintf("refused: %s %s %s", d.Code, d.Span.Pos, d.Message)
		}
	}
	if u.Program == nil {
		return refused, ""
	}
	finals, failures, big := enumerate(p)
	if big {
		return tooBig, ""
	}
	flat, err := transform.Run(u.Program, transform.Options{Unroll: 8, Observed: true}, nil)
	if err != nil {
		return differ, err.Error()
	}
	got, err := testkit.Ask(testkit.Explicit, flat, u.Props, memory.SC, testkit.How{Memory: 256 << 20}) // a wrong automaton may have no end
	if err != nil {
		return differ, err.Error()
	}
	classes := map[string]bool{}
	for _, c := range got.Checks {
		class, _, _ := strings.Cut(c, "@")
		classes[class] = true
	}
	switch {
	case !slices.Equal(got.Finals, finals):
		return differ, fmt.Sprintf("final states: want\n  %s\ngot\n  %s", strings.Join(finals, "\n  "), strings.Join(got.Finals, "\n  "))
	case !slices.Equal(keys(classes), failures):
		return differ, fmt.Sprintf("failures: want %v, got %v", failures, keys(classes))
	}
	return agree, ""
}

// TestLoweringAgainstInterpreter: the automata of random programs have the final
// states and failures under SC that an interpreter of the source finds, which shares
// nothing with the front end.
func TestLoweringAgainstInterpreter(t *testing.T) {
	counts := map[outcome]int{}
	ended, failed := 0, 0
	for i := range int64(*lowerings) {
		p := generateSource(*loweringSeed + i)
		o, problem := compareLowering(p)
		counts[o]++
		if o == agree {
			finals, failures, _ := enumerate(p)
			ended += min(1, len(finals))
			failed += min(1, len(failures))
		}
		if o != differ {
			continue
		}
		p.shrink()
		_, problem2 := compareLowering(p)
		t.Errorf("seed %d: %s\nreproduce: go test ./internal/frontend/fp -run TestLoweringAgainstInterpreter -fp.lowering=1 -fp.seed=%d\nshrunk to:\n%s%s",
			*loweringSeed+i, problem, *loweringSeed+i, p.text(), problem2)
		if counts[differ] == 3 {
			break
		}
	}
	t.Logf("%d programs: %d agree (%d end, %d fail), %d refused, %d too big",
		*lowerings, counts[agree], ended, failed, counts[refused], counts[tooBig])
	if *lowerings >= 100 && (counts[agree]*4 < *lowerings*3 || ended*3 < *lowerings || failed*20 < *lowerings) {
		t.Error("too few programs say anything")
	}
}

// shrink leaves out statements as long as the two still differ.
func (p *srcProgram) shrink() {
	for again := true; again; {
		again = false
		for _, t := range p.threads {
			t.body, again = shrinkList(p, t.body, func(l []*srcStmt) { t.body = l }, again)
		}
	}
}

// shrinkList shrinks a list that set puts where it was.
func shrinkList(p *srcProgram, list []*srcStmt, set func([]*srcStmt), smaller bool) ([]*srcStmt, bool) {
	for i := 0; i < len(list); {
		less := slices.Delete(slices.Clone(list), i, i+1)
		set(less)
		if stillDiffers(p) {
			list, smaller = less, true
			continue
		}
		set(list)
		s := list[i]
		for n := range s.list {
			s.list[n], smaller = shrinkList(p, s.list[n], func(l []*srcStmt) { s.list[n] = l }, smaller)
		}
		i++
	}
	return list, smaller
}

// stillDiffers does not take a program for one that differs because leaving out a
// statement broke it.
func stillDiffers(p *srcProgram) bool {
	p.link()
	for _, t := range p.threads {
		for _, s := range t.stmts {
			if s.kind == tGoto && t.labels[s.word] == nil || s.bare && len(s.list[0]) != 1 {
				return false
			}
		}
	}
	o, problem := compareLowering(p)
	return o == differ && !strings.HasPrefix(problem, "refused")
}
