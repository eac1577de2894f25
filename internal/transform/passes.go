package transform

import (
	"errors"
	"fmt"

	"fencepost/internal/ir"
)

// Options are the bounds passes work with.
type Options struct {
	// Unroll bounds recursion, and spawns in loops, where a pass needs a bound.
	Unroll int
	// Stop, if not nil, is asked now and then; what it returns ends the passes.
	Stop func() error
}

// Pass is one transformation.
type Pass struct {
	Name string
	Doc  string // what it does
	Why  string // why it stands where it stands in the order
	Run  func(*ir.Program, Options) (*ir.Program, error)
}

// Passes make the flat form, in this order.
var Passes = []Pass{
	{
		Name: "flatten",
		Doc:  "inlines calls and gives every spawned thread an automaton of its own",
		Why:  "first: everything after it works on one automaton per thread",
		Run:  flatten,
	},
	{
		Name: "localize",
		Doc:  "makes automatic variables that stay inside their thread static objects of it",
		Why:  "after flatten: only there every activation has an allocation of its own",
		Run:  localize,
	},
}

// Run applies all passes to a structured program and verifies after each.
// dump, if not nil, sees the program after every stage.
func Run(p *ir.Program, opt Options, dump func(stage string, p *ir.Program)) (*ir.Program, error) {
	for _, pass := range Passes {
		next, err := pass.Run(p, opt)
		if err != nil {
			return nil, fmt.Errorf("pass %s: %w", pass.Name, err)
		}
		if errs := ir.Verify(next); len(errs) > 0 {
			panic(fmt.Sprintf("BUG: pass %s broke the program: %v", pass.Name, errors.Join(errs...)))
		}
		if dump != nil {
			dump(pass.Name, next)
		}
		p = next
	}
	return p, nil
}
