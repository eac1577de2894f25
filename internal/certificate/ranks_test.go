package certificate_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
)

// loopProfiles has programs with loops.
var loopProfiles = []testkit.Profile{{Name: "loops", Loops: true}, {Name: "spins", Spins: true}, {Name: "rounds", Rounds: true}, {Name: "loops-inside", Loops: true, Inside: true}, {Name: "loops-sync", Loops: true, Sync: true}}

// loopQuestions returns the questions about endless executions of a random program, and whether one counts.
func loopQuestions(t *testing.T, s uint64, visit func(q question, endless bool)) {
	flat, _ := testkit.Generate(s, loopProfiles[s%uint64(len(loopProfiles))]).Flat()
	for _, m := range testkit.Models {
		model, err := replay.ParseModel(m.String())
		if err != nil {
			t.Fatal(err)
		}
		asks := []property.Set{{Endless: true}, {Endless: true, Fairness: property.Random}, {Endless: true, Fairness: property.Weak}}
		for _, one := range flat.Threads {
			asks = append(asks, property.Set{Endless: true, Fairness: property.Weak, Starving: one.Name})
		}
		for _, asked := range asks {
			want, err := replay.Enumerate(flat, &asked, model, replay.Limits{States: 400})
			if err != nil {
				t.Fatal(err)
			}
			if want.Truncated || len(want.Violations) > 0 {
				return
			}
			endless := want.Endless
			switch {
			case asked.Fairness == property.Weak:
				endless = want.Fair
			case asked.Fairness != 0:
				endless = want.NeverEnds
			}
			visit(question{flat, &asked, model}, endless)
		}
	}
}

// Programs have ranks exactly if the definition, on the graph of all states, finds no endless execution that counts. Where
// it finds one, no numbers are accepted.
func TestRanksAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 57))
	count := map[string][2]int{}
	forged, right := 0, 0
	for s := *seed; s < *seed+uint64(*programs)/8; s++ {
		loopQuestions(t, s, func(q question, endless bool) {
			what := map[property.Fairness]string{0: "spin", property.Random: "random", property.Weak: "weak"}[q.props.Fairness]
			if q.props.Starving != "" {
				what = "starving"
			}
			file, err := q.prove()
			refuted := (*certificate.Refuted)(nil)
			if err != nil && !errors.As(err, &refuted) || endless != (err != nil) {
				t.Fatalf("seed %d under %s, %s: the definition finds an endless execution: %v; the proof: %v\n%s", s, q.model, what, endless, err, irtext.Print(q.p))
			}
			n := count[what]
			if endless {
				n[1]++
			} else {
				n[0]++
			}
			count[what] = n
			if !endless {
				if _, err := q.check(file); err != nil {
					t.Fatalf("seed %d under %s, %s: a proof is refused: %v\n%s", s, q.model, what, err, irtext.Print(q.p))
				}
			}
			for range 3 {
				forged++
				_, err := q.check(certificate.ForgeRanks(t, q.p, q.props, q.model, rng))
				if err == nil && endless {
					t.Fatalf("seed %d under %s, %s: forged numbers are accepted\n%s", s, q.model, what, irtext.Print(q.p))
				}
				if err == nil {
					right++
				}
			}
		})
	}
	t.Logf("not endless and endless: %v; %d forged, %d of them right", count, forged, right)
	for what, n := range count {
		if *programs >= 100 && (n[0] < 3 || n[1] < 3) {
			t.Errorf("%s: %v: the programs do not test both answers", what, n)
		}
	}
}

// TestRanksOnStack: so it is where loads and stores of blocks that one thread alone can reach are local steps.
func TestRanksOnStack(t *testing.T) {
	profiles := []testkit.Profile{{Name: "loops-heap", Loops: true, Heap: true}, {Name: "spins-heap", Spins: true, Heap: true}, {Name: "rounds-heap", Rounds: true, Heap: true}, {Name: "loops-inside-heap", Loops: true, Inside: true, Heap: true}}
	count := map[property.Fairness][2]int{}
	for s := *seed; s < *seed+uint64(*programs)/2; s++ {
		generated, _ := testkit.Generate(s, profiles[s%uint64(len(profiles))]).Flat()
		flat := onStack(generated)
		for _, m := range testkit.Models {
			model, err := replay.ParseModel(m.String())
			if err != nil {
				t.Fatal(err)
			}
			for _, asked := range []property.Set{{Endless: true}, {Endless: true, Fairness: property.Random}} {
				want, err := replay.Enumerate(flat, &asked, model, replay.Limits{States: 1500})
				if err != nil {
					t.Fatal(err)
				}
				x, err := replay.NewStepper(flat, &asked, model)
				if err != nil {
					t.Fatal(err)
				}
				if want.Truncated || len(want.Violations) > 0 || !x.Keeps() {
					break
				}
				endless := want.Endless
				if asked.Fairness != 0 {
					endless = want.NeverEnds
				}
				q := question{flat, &asked, model}
				file, err := q.prove()
				refuted := (*certificate.Refuted)(nil)
				if errors.As(err, &refuted) && refuted.Beyond && !endless { // more than the model allows
					continue
				}
				if err != nil && refuted == nil || endless != (err != nil) {
					t.Fatalf("seed %d under %s, fairness %d: the definition finds an endless execution: %v; the proof: %v\n%s", s, model, asked.Fairness, endless, err, irtext.Print(flat))
				}
				n := count[asked.Fairness]
				if endless {
					n[1]++
				} else {
					n[0]++
					if _, err := q.check(file); err != nil {
						t.Fatalf("seed %d under %s: a proof is refused: %v", s, model, err)
					}
				}
				count[asked.Fairness] = n
			}
		}
	}
	t.Logf("not endless and endless, by fairness: %v", count)
	for what, n := range count {
		if *programs >= 100 && (n[0] < 3 || n[1] < 3) {
			t.Errorf("%v: %v: the programs do not test both answers", what, n)
		}
	}
}
