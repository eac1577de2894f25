//go:build fencepost_small

package explorer

import "fencepost/verdict"

// written leaves the answer to the whole build.
func (a *asking) written() (any, error) { return nil, errPart }

func (a *asking) tikz(*verdict.Execution) (any, error) { return nil, errPart }
