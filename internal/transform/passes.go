package transform

import (
	"errors"
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/transform/private"
	"fencepost/internal/transform/undefined"
	"fencepost/internal/transform/waiting"
)

// Options are the options of all passes.
type Options struct {
	// Unroll bounds the depth of recursion, and the number of threads of a spawn in a loop.
	Unroll int
	// Default says that the user did not choose Unroll: the depth of recursion may be less if the program would be too large.
	Default bool
	// Observed says that properties look at registers or locations of threads.
	Observed bool
	// Objects are the objects that properties look at.
	Objects []ir.ObjectID
	// Any says that a value that was never written is any value; else it is undefined. Range, if not empty, is the least and
	// the largest of them.
	Any   bool
	Range []int64
	// Refuse makes decisions by undefined values unsupported: calls have left the values in registers.
	Refuse bool
	// Plain leaves out the passes that only make the program smaller.
	Plain bool
	// Inlined leaves out all passes but the first: values that were never written are 0.
	Inlined bool
	// Stop, if not nil, is called now and then. An error that it returns ends the passes.
	Stop func() error
	// Calls, if not nil, leaves calls out of a program that is too large with all of them. It is changed.
	Calls *Calls

	// local says which objects of the flat program are automatic or thread-local variables; nil: that is not known. Run sets it.
	local func(ir.ObjectID) bool
}

// Pass is one entry of the table of passes.
type Pass struct {
	Name string
	Doc  string // a sentence about the effect
	Why  string // the reason for its position in the order
	// Needed says that programs have their meaning only after the pass. The others make programs smaller.
	Needed bool
	Run    func(*ir.Program, Options) (*ir.Program, error)
}

// Passes lists the passes that make the flat form, in the order in which Run applies them.
var Passes = []Pass{
	{
		Name:   "flatten",
		Doc:    "inlines calls and makes one automaton for each spawned thread",
		Why:    "first: the other passes work on one automaton per thread",
		Needed: true,
		Run:    flatten,
	},
	{
		Name: Failures,
		Doc:  "gives every result of a trylock, and of an error-checking mutex, an edge of its own",
		Why:  "after flatten: who holds a mutex is said by the number of a thread",
		Run:  failures,
	},
	{
		Name: "localize",
		Doc:  "turns automatic variables that only one thread can reach into static objects",
		Why:  "after flatten: only then each activation has its separate allocation",
		Run: func(p *ir.Program, opt Options) (*ir.Program, error) {
			return private.Localize(p, opt.Observed, opt.Stop)
		},
	},
	{
		Name:   undefined.Pass,
		Doc:    "adds which bits of values are undefined, and checks where they decide something",
		Why:    "after localize: what one thread writes before it reads is found in objects; before the passes that drop what is computed in vain",
		Needed: true,
		Run: func(p *ir.Program, opt Options) (*ir.Program, error) {
			return undefined.Run(p, undefined.Options{Any: opt.Any, Range: opt.Range, Refuse: opt.Refuse, Stop: opt.Stop})
		},
	},
	{
		Name: private.RegistersPass,
		Doc:  "turns variables in memory that only one thread knows into registers",
		Why:  "after undefined, which knows what is undefined in objects; before the passes that look for what is not needed",
		Run: func(p *ir.Program, opt Options) (*ir.Program, error) {
			if opt.Observed || opt.local == nil {
				return p, nil
			}
			return private.Registers(p, opt.Objects, opt.local, opt.Stop)
		},
	},
	{
		Name: loadSectionsPass,
		Doc:  "makes sections that only load like others where no store can be in the buffer",
		Why:  "after localize, which takes stores away",
		Run:  loadSections,
	},
	{
		Name: clocksPass,
		Doc:  "leaves clocks whose times make no difference one time only",
		Why:  "after localize: times are often stored in automatic variables",
		Run:  clocks,
	},
	{
		Name: waiting.DelaysPass,
		Doc:  "drops loops that only count, and what is computed for them",
		Why:  "after localize: the counters of a back-off are often automatic variables with an address",
		Run: func(p *ir.Program, opt Options) (*ir.Program, error) {
			if opt.Observed {
				return p, nil
			}
			return waiting.Delays(p, opt.Objects, opt.Stop)
		},
	},
	{
		Name: exchangesPass,
		Doc:  "takes the result away from exchanges whose result is not used",
		Why:  "last: earlier passes drop what would use it",
		Run:  exchanges,
	},
}

// Run applies all passes to a structured program, verifies the program after each pass,
// and returns the flat program. If dump is not nil, Run calls it with the name of each pass
// and the program after it.
func Run(p *ir.Program, opt Options, dump func(stage string, p *ir.Program)) (*ir.Program, error) {
	structured := p
	opt.local = func(o ir.ObjectID) bool {
		return int(o) >= len(structured.Objects) || structured.Objects[o].PerThread
	}
	for _, pass := range Passes {
		if opt.Plain && !pass.Needed || opt.Inlined && p.Form == ir.Flat {
			continue
		}
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
