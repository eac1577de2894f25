package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
)

// proofs are the kinds of proofs of questions about checks.
var proofs = map[string]func(q *question) ([]byte, error){
	certificate.KindStates: (*question).prove,
	certificate.KindClasses: func(q *question) ([]byte, error) {
		var file bytes.Buffer
		_, err := certificate.Classes(context.Background(), &file, certificate.Statement{}, q.p, q.props, q.model, 20000)
		return file.Bytes(), err
	},
	certificate.KindClauses: func(q *question) ([]byte, error) { return q.proveByClauses(4) },
}

// Programs with automatic variables and pointers to them, also such as C does not define: none with a violation is certified, by
// any kind, and none without is refuted.
func TestAutomaticAgainstBruteForce(t *testing.T) {
	certified, unsafe, without := map[string]int{}, 0, map[string]int{}
	for k := range uint64(*programs) / 2 {
		p, text := testkit.Automatic(*seed + k)
		for _, model := range []replay.Model{replay.SC, replay.TSO, replay.PSO} {
			props := &property.Set{Checks: true}
			want, err := replay.Enumerate(p, props, model, replay.Limits{States: 4000})
			if err != nil {
				t.Fatal(err)
			}
			if want.Truncated {
				break
			}
			wrong := len(want.Violations) > 0
			if wrong {
				unsafe++
			}
			for kind, prove := range proofs {
				q := question{p, props, model}
				file, err := prove(&q)
				refuted := (*certificate.Refuted)(nil)
				switch {
				case err == nil && wrong:
					t.Fatalf("seed %d under %s: brute force finds %v, and there is a proof by %s\n%s", *seed+k, model, want.Violations, kind, text)
				case errors.As(err, &refuted) && !refuted.Beyond && !wrong:
					t.Fatalf("seed %d under %s: brute force finds nothing, and %s refute: %v\n%s", *seed+k, model, kind, err, text)
				case err != nil && refuted == nil && !wrong:
					without[kind]++
				case err == nil:
					certified[kind]++
					if _, err := q.check(file); err != nil {
						t.Fatalf("seed %d under %s: a proof by %s is refused: %v\n%s", *seed+k, model, kind, err, text)
					}
				}
			}
		}
	}
	t.Logf("%d unsafe; certified %v, without a proof %v", unsafe, certified, without)
	for kind := range proofs {
		if *programs >= 200 && (unsafe < 50 || certified[kind] < 20) {
			t.Errorf("the programs do not test proofs by %s", kind)
		}
	}
}

// stray are threads whose answer depends on where their automatic variables lie, or that make the address of one from something
// else.
var stray = map[string]string{
	"the neighbour": `
  L0 -> L1: p = alloc.stack.undef 16
  L1 -> L2: free.stack [p]
  L2 -> L3: q = alloc.stack.undef 16
  L3 -> L4: r = alloc.stack.undef 16
  L4 -> L5: store.s8 [(r - 32)] = 2`,
	"the neighbour, in steps": `
  L0 -> L1: p = alloc.stack.undef 16
  L1 -> L2: free.stack [p]
  L2 -> L3: q = alloc.stack.undef 16
  L3 -> L4: r = alloc.stack.undef 16
  L4 -> L5: i = (r - 32)
  L5 -> L6: store.s8 [i] = 2`,
	"a difference of two blocks": `
  L0 -> L1: p = alloc.stack.undef 16
  L1 -> L2: free.stack [p]
  L2 -> L3: q = alloc.stack.undef 16
  L3 -> L4: r = alloc.stack.undef 16
  L4 -> L5: i = (r - q)
  L5 -> L6: store.s8 [(&a + i)] = 2`,
	"bits of an address": `
  L0 -> L1: p = alloc.stack.undef 16
  L1 -> L2: free.stack [p]
  L2 -> L3: q = alloc.stack.undef 16
  L3 -> L4: r = alloc.stack.undef 16
  L4 -> L5: i = ((r & 63) - 16)
  L5 -> L6: store.s8 [(&a + i)] = 2`,
	"a number": `
  L0 -> L1: p = alloc.stack.undef 16
  L1 -> L2: free.stack [p]
  L2 -> L3: q = alloc.stack.undef 16
  L3 -> L4: r = alloc.stack.undef 16
  L4 -> L5: store.s8 [35185445830688] = 2
  L5 -> L6: free.stack [r]
  L6 -> L7: store.s8 [35185445830688] = 2`,
	"a number from memory": `
  L0 -> L1: store.s64 [&a] = 35185445830688
  L1 -> L2: p = alloc.stack.undef 16
  L2 -> L3: free.stack [p]
  L3 -> L4: q = alloc.stack.undef 16
  L4 -> L5: r = alloc.stack.undef 16
  L5 -> L6: i = load.s64 [&a]
  L6 -> L7: free.stack [r]
  L7 -> L8: store.s8 [i] = 2`,
}

// What depends on where a block lies is not certified: each of these programs goes wrong if blocks are used again in one way, and
// not in another one.
func TestStrayAddresses(t *testing.T) {
	for name, text := range stray {
		p, diags := irtext.Parse("stray.ir", []byte("program p flat\nobject a size 64\nfunc f() {\n  reg p\n  reg q\n  reg r\n  reg i\n"+
			"  loc L0\n  loc L1\n  loc L2\n  loc L3\n  loc L4\n  loc L5\n  loc L6\n  loc L7\n  loc L8\n"+strings.TrimPrefix(text, "\n")+"\n}\nthread f = f()\n"))
		if diags.HasErrors() {
			t.Fatal(diags.All)
		}
		if len(replay.OneThreadBlocks(p)) != 3 {
			t.Errorf("%s: the blocks are not of one thread", name)
		}
		for _, model := range []replay.Model{replay.SC, replay.TSO, replay.PSO} {
			props := &property.Set{Checks: true}
			want, err := replay.Enumerate(p, props, model, replay.Limits{})
			if err != nil || len(want.Violations) == 0 {
				t.Fatalf("%s under %s: brute force finds nothing: %v", name, model, err)
			}
			for kind, prove := range proofs {
				if _, err := prove(&question{p, props, model}); err == nil {
					t.Errorf("%s under %s: there is a proof by %s", name, model, kind)
				}
			}
		}
	}
}
