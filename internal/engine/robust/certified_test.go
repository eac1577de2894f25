package robust_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/replay"
)

// certified proves that a program is robust and checks the proof. none says why there is neither a proof nor an attack.
func certified(p *ir.Program, model memory.Model) (proved bool, none string) {
	against, err := replay.ParseModel(model.String())
	if err != nil {
		return false, err.Error()
	}
	var file bytes.Buffer
	_, err = certificate.Attacks(context.Background(), &file, certificate.Statement{}, p, against, 1<<30)
	refuted := (*certificate.Refuted)(nil)
	if errors.As(err, &refuted) {
		return false, ""
	} else if err != nil {
		return false, err.Error()
	}
	r, err := certificate.Open(&file)
	if err != nil {
		return false, err.Error()
	}
	defer r.Close()
	if _, err = certificate.CheckRobust(context.Background(), r, p, against); err != nil {
		return false, err.Error()
	}
	return true, ""
}

// TestCertifiedDefinition holds the proofs of robustness against the definition: a program has one exactly if no execution of the
// model, enumerated without reduction, has a cycle.
func TestCertifiedDefinition(t *testing.T) {
	for _, model := range []memory.Model{memory.TSO, memory.PSO} {
		proved, broken, none := map[string]int{}, map[string]int{}, map[string]int{}
		for seed, n := *firstSeed, 0; n < *programs; seed++ {
			profile := definitionProfiles[seed%uint64(len(definitionProfiles))]
			flat, _ := small(seed, profile, model).Flat()
			cyclic, ok := cyclicExecution(flat, model)
			if !ok {
				continue
			}
			n++
			has, why := certified(flat, model)
			switch {
			case strings.HasPrefix(why, "there are no certificates"):
				why, _, _ = strings.Cut(why, " (")
				none[why]++
			case why != "" || has == cyclic:
				t.Fatalf("seed %d under %s: an execution has a cycle: %v; proved robust: %v %s\n%s", seed, model, cyclic, has, why, irtext.Print(flat))
			case has:
				proved[profile.Name]++
			default:
				broken[profile.Name]++
			}
		}
		if *programs >= 60 && (len(proved) < 3 || len(broken) < 3) {
			t.Errorf("%s: the programs do not test both answers", model)
		}
		t.Logf("%s: robust %v, not robust %v, none %v", model, proved, broken, none)
	}
}

// Where one attacker is not enough, there is no proof that a program is robust.
func TestCertifiedOneAttackerIsNotEnough(t *testing.T) {
	for _, c := range oneAttackerCases {
		if proved, why := certified(flatten(t, c.bodies...), c.model); proved || !strings.HasPrefix(why, "there are no certificates") {
			t.Errorf("%s: proved robust: %v, %s", c.name, proved, why)
		}
	}
}
