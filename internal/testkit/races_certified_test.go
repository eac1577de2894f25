package testkit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/frontend/c"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// TestDataRacesCertified: of the cases of TestDataRaces, those with a data race have no certificate.
func TestDataRacesCertified(t *testing.T) {
	var tally raceTally
	for _, one := range dataRaceCases {
		unit, diags := c.Parse([]*source.File{source.NewFile("race.c", []byte(one.program()))}, testkit.ZeroedC())
		if diags.HasErrors() {
			t.Fatal(diags.All)
		}
		plain, err := transform.Run(unit.Program, transform.Options{Unroll: 2, Plain: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testkit.Models {
			before := tally.doubtful.Load()
			if _, problem := raceFree(plain, m, one.race, &tally); problem != "" {
				t.Errorf("%s under %s: %s", one.name, m, problem)
			}
			if tally.doubtful.Load() > before {
				t.Logf("%s under %s: a certificate has a race", one.name, m)
			}
		}
	}
	t.Logf("%d are certified, %d have no certificate, for %d a certificate has a race", tally.certified.Load(), tally.uncertified.Load(), tally.doubtful.Load())
	if tally.certified.Load() < 20 {
		t.Error("few cases are certified")
	}
}

// raceFree looks for a certificate that a program has no data races, and counts what comes of it. dataRace says that some
// execution has one by the definition: then there must be no certificate.
func raceFree(plain *ir.Program, m memory.Model, dataRace bool, tally *raceTally) (certified bool, problem string) {
	model, err := replay.ParseModel(m.String())
	if err != nil {
		return false, err.Error()
	}
	props := &property.Set{DataRaces: true}
	var file bytes.Buffer
	_, err = certificate.Classes(context.Background(), &file, certificate.Statement{}, plain, props, model, 3000)
	refuted := (*certificate.Refuted)(nil)
	switch {
	case err == nil && dataRace:
		return false, "an execution has a data race, and a certificate says that none has"
	case dataRace:
		return false, ""
	case errors.As(err, &refuted): // by the release sequences of C++20, or a check fails
		tally.doubtful.Add(1)
		return false, ""
	case err != nil && !strings.Contains(err.Error(), "no classes") && !errors.Is(err, certificate.ErrTooLarge):
		return false, err.Error()
	case err != nil:
		tally.uncertified.Add(1)
		return false, ""
	}
	r, err := certificate.Open(bytes.NewReader(file.Bytes()))
	if err != nil {
		return false, err.Error()
	}
	defer r.Close()
	if _, err := certificate.Check(context.Background(), r, plain, props, model); err != nil {
		return false, fmt.Sprintf("a certificate is refused: %v", err)
	}
	tally.certified.Add(1)
	return true, ""
}
