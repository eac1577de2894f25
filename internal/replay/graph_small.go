//go:build fencepost_small

package replay

import (
	"errors"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// replayGraph refuses: this build does not have the model C11.
func replayGraph(*ir.Program, *property.Set, *verdict.Witness, Expect) error {
	return errors.New("this part of fencepost does not have the model c11")
}

// lastOfGraph refuses, too.
func lastOfGraph(*ir.Program, *verdict.Witness) (*machine, *state, error) {
	return nil, nil, errors.New("this part of fencepost does not have the model c11")
}

// Synchronised refuses, too.
func Synchronised(*ir.Program, *verdict.Witness) ([][2]int, error) {
	return nil, errors.New("this part of fencepost does not have the model c11")
}
