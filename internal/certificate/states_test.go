package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
)

var (
	programs = flag.Int("fp.programs", 220, "random programs per model and kind of proof")
	mutants  = flag.Int("fp.mutants", 400, "mutants of certificates per kind of proof")
	seed     = flag.Uint64("fp.seed", 1, "first seed")
)

// profiles has the profiles of programs that end, and of some that loop.
var profiles = slices.Concat(testkit.Profiles, testkit.Rare, testkit.Overwriting[:4], []testkit.Profile{{Name: "spins", Spins: true}, {Name: "rounds", Rounds: true}})

// question is a program and what is asked about it.
type question struct {
	p     *ir.Program
	props *property.Set
	model replay.Model
}

// questions returns the question of a random program under each model, and one that asks less, if the program violates
// something: more of those are safe. wrong says whether brute force finds a violation.
func questions(t *testing.T, seed uint64, visit func(q question, wrong bool)) {
	p := testkit.Generate(seed, profiles[seed%uint64(len(profiles))])
	flat, props := p.Flat()
	if seed%3 == 0 {
		props.Endless = true
	}
	for _, m := range testkit.Models {
		asked := *props
		for range 2 {
			want, err := testkit.OracleUpTo(flat, &asked, m, 6000)
			if errors.Is(err, testkit.ErrTooBig) {
				break
			}
			if err != nil {
				t.Fatalf("seed %d under %s: %v", seed, m, err)
			}
			model, err := replay.ParseModel(m.String())
			if err != nil {
				t.Fatal(err)
			}
			once := asked
			if !asked.Empty() {
				visit(question{flat, &once, model}, found(&want, &once))
			}
			if !found(&want, &once) {
				break
			}
			if asked.Goals, asked.Final, asked.Deadlock, asked.Endless = nil, nil, false, false; len(want.Checks) > 0 {
				break
			}
			asked.Checks = true
		}
	}
}

// found reports whether something is violated that is asked about.
func found(a *testkit.Answers, props *property.Set) bool {
	return len(a.Checks)+len(a.Goals) > 0 || a.Final || a.Deadlock && props.Deadlock || a.Endless && props.Endless
}

func (q *question) prove() ([]byte, error) {
	var file bytes.Buffer
	_, err := certificate.States(context.Background(), &file, certificate.Statement{}, q.p, q.props, q.model, certificate.Limits{})
	return file.Bytes(), err
}

func (q *question) check(file []byte) (*certificate.Covered, error) {
	r, err := certificate.Open(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return certificate.Check(context.Background(), r, q.p, q.props, q.model)
}

// Programs are certified exactly if brute force finds no violation.
func TestStatesAgainstBruteForce(t *testing.T) {
	safe, unsafe, states := 0, 0, 0
	for s := *seed; s < *seed+uint64(*programs); s++ {
		questions(t, s, func(q question, wrong bool) {
			file, err := q.prove()
			refuted := (*certificate.Refuted)(nil)
			if err != nil && !errors.As(err, &refuted) {
				t.Fatalf("seed %d under %s: %v", s, q.model, err)
			}
			if wrong != (err != nil) {
				t.Fatalf("seed %d under %s: brute force finds a violation: %v; the proof: %v", s, q.model, wrong, err)
			}
			if wrong {
				unsafe++
				return
			}
			covered, err := q.check(file)
			if err != nil {
				t.Fatalf("seed %d under %s: a proof is refused: %v", s, q.model, err)
			}
			safe++
			states += covered.Size
		})
	}
	t.Logf("%d safe, %d unsafe, %d states", safe, unsafe, states)
	if *programs >= 100 && (safe < 100 || unsafe < 50) {
		t.Error("the programs do not test both answers")
	}
}

// open returns the statement and the states of a certificate.
func open(t *testing.T, file []byte) (certificate.Statement, []string, []byte) {
	r, err := certificate.Open(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	keys, body, err := certificate.StatesOf(r)
	if err != nil {
		t.Fatal(err)
	}
	return r.Statement, keys, body
}

// Whatever is changed in a certificate, the rest is refused, or is a proof. A set without one of its states is none,
// since all of them can be reached.
func TestStatesMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 50))
	made, accepted := 0, 0
	for s := *seed; made < *mutants; s++ {
		questions(t, s, func(q question, wrong bool) {
			if wrong {
				return
			}
			file, err := q.prove()
			if err != nil {
				t.Fatal(err)
			}
			statement, keys, body := open(t, file)
			for range 5 {
				made++
				kind, changed := mutate(rng, keys)
				var out bytes.Buffer
				c := statement
				if err := certificate.WriteStates(&out, &c, changed, body); err != nil {
					t.Fatal(err)
				}
				_, err := q.check(out.Bytes())
				has := !slices.ContainsFunc(keys, func(k string) bool { return !slices.Contains(changed, k) })
				if err == nil && !has {
					t.Fatalf("seed %d under %s: a set without a reachable state is accepted (%s)", s, q.model, kind)
				}
				if err == nil {
					accepted++
				}
				at := rng.IntN(len(file))
				bad := slices.Clone(file)
				bad[at] ^= 1 << rng.IntN(8)
				if _, err := q.check(bad); err == nil {
					t.Fatalf("seed %d under %s: a file with a changed byte %d is accepted", s, q.model, at)
				}
				if _, err := q.check(file[:at]); err == nil {
					t.Fatalf("seed %d under %s: a file without its end is accepted", s, q.model)
				}
			}
		})
	}
	t.Logf("%d mutants, %d are proofs", made, accepted)
}

// mutate changes a set of states.
func mutate(rng *rand.Rand, keys []string) (string, []string) {
	out := slices.Clone(keys)
	i := rng.IntN(len(out))
	switch rng.IntN(4) {
	case 0:
		return "removed", slices.Delete(out, i, i+1)
	case 1:
		b := []byte(out[i])
		b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		out[i] = string(b)
		slices.Sort(out)
		return "changed", slices.Compact(out)
	case 2:
		b := []byte(out[i])
		b[rng.IntN(len(b))]++
		out = append(out, string(b))
		slices.Sort(out)
		return "added", slices.Compact(out)
	default:
		j := rng.IntN(len(out))
		out[i], out[j] = out[j], out[i]
		return "order", out
	}
}

// No part of the states of a program with a violation is a proof that it is safe.
func TestStatesOfUnsafe(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 51))
	tried := 0
	for s := *seed; tried < *mutants/4; s++ { // one of three questions is violated
		questions(t, s, func(q question, wrong bool) {
			if !wrong {
				return
			}
			less := question{q.p, &property.Set{Goals: []property.Goal{{At: nil, With: &property.Cond{Expr: ir.Int(0)}}}}, q.model}
			if file, err := less.prove(); err == nil { // no check fails: the other questions are violated
				statement, keys, body := open(t, file)
				if err := statement.About(q.p, q.props, q.model); err != nil {
					t.Fatal(err)
				}
				for range 4 {
					tried++
					var some []string
					for _, k := range keys {
						if tried%4 == 0 || rng.IntN(10) > 0 {
							some = append(some, k)
						}
					}
					var out bytes.Buffer
					if err := certificate.WriteStates(&out, &statement, some, body); err != nil {
						t.Fatal(err)
					}
					if _, err := q.check(out.Bytes()); err == nil {
						t.Fatalf("seed %d under %s: a violation is certified away", s, q.model)
					}
				}
			}
		})
	}
}

// onStack makes a program of a random one in which all blocks are automatic variables. What was never written is undefined,
// and these programs have no checks of that: if they load from blocks, each block has a size of its own, so that none is
// used again with what another one held.
func onStack(p *ir.Program) *ir.Program {
	out := *p
	out.Funcs = slices.Clone(p.Funcs)
	loads, size := false, int64(0)
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			loads = loads || op.Accesses() && op.Kind != ir.Store && op.Obj == ir.NoObject
		}
	}
	for k, f := range p.Funcs {
		g := *f
		g.Edges = slices.Clone(f.Edges)
		for i := range g.Edges {
			switch op := &g.Edges[i].Op; op.Kind {
			case ir.Alloc:
				if op.Block.Stack, op.Block.Undef = true, true; loads {
					size += 16
					op.Val = ir.Int(size)
				}
			case ir.Free:
				op.Block.Stack = true
			}
		}
		out.Funcs[k] = &g
	}
	return &out
}

// Accesses to blocks that one thread alone can reach wait for nothing: what can happen is the same.
func TestStatesOnStack(t *testing.T) {
	safe, unsafe, kept := 0, 0, 0
	blocks := []testkit.Profile{{Name: "heap", Heap: true}, {Name: "inside-heap", Inside: true, Heap: true}, {Name: "reuse", Reuse: true}, {Name: "heap-spawn", Heap: true, Spawn: true}}
	for k := range uint64(*programs)/2 + 1 {
		s := *seed + k
		if k == 0 {
			s = 91056 // a block that ends twice, with another one in between
		}
		generated, props := testkit.Generate(s, blocks[s%uint64(len(blocks))]).Flat()
		flat := onStack(generated)
		for _, m := range testkit.Models {
			model, err := replay.ParseModel(m.String())
			if err != nil {
				t.Fatal(err)
			}
			asked := &property.Set{Checks: true, Deadlock: s%2 == 0, Final: props.Final}
			if s%3 == 0 { // a goal that no state meets: no step of any thread is taken at once
				never := property.Goal{With: &property.Cond{Expr: ir.Int(0)}}
				for t := range flat.Threads {
					never.At = append(never.At, property.At{Thread: ir.ThreadID(t), Locs: []ir.Loc{flat.ThreadFunc(ir.ThreadID(t)).Entry}})
				}
				asked.Goals = append(asked.Goals, never)
			}
			want, err := replay.Enumerate(flat, asked, model, replay.Limits{States: 6000})
			if err != nil {
				t.Fatal(err)
			}
			if want.Truncated {
				break
			}
			wrong := len(want.Violations) > 0 || want.Final || want.Deadlock && asked.Deadlock
			q := question{flat, asked, model}
			x, err := replay.NewStepper(flat, asked, model)
			if err != nil {
				t.Fatal(err)
			}
			if !x.Keeps() {
				break
			}
			kept++
			file, err := q.prove()
			refuted := (*certificate.Refuted)(nil)
			if errors.As(err, &refuted) && refuted.Beyond && !wrong { // more than the model allows
				continue
			}
			if err != nil && refuted == nil || wrong != (err != nil) {
				t.Fatalf("seed %d under %s: brute force finds a violation: %v; the proof: %v\n%s", s, model, wrong, err, irtext.Print(flat))
			}
			if wrong {
				unsafe++
				continue
			}
			safe++
			if _, err := q.check(file); err != nil {
				t.Fatalf("seed %d under %s: a proof is refused: %v", s, model, err)
			}
		}
	}
	t.Logf("%d questions with blocks of one thread, %d safe, %d unsafe", kept, safe, unsafe)
	if *programs >= 100 && (safe < 10 || unsafe < 10) {
		t.Error("the programs do not test both answers")
	}
}
