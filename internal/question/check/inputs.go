package check

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/memory"
)

// Inputs. An input of a wide type has more values than can be tried one by one. Of the engines only bmc
// takes it, where an input is a free variable.

// refusedInputs refuses inputs of too many values: because of how the questions are asked, or because
// bmc, for which inputs are free variables, does not take the program for another reason.
func refusedInputs(q *question) error {
	if q.opt.Races && len(q.opt.Engines) == 0 && !q.opt.Robustness && !q.opt.Finals {
		q.flat = triedInputs(q.flat)
	}
	unlisted := memory.Unlisted(q.flat)
	if unlisted == nil || len(q.opt.Engines) > 0 {
		return nil
	}
	how := askedBy(&q.opt)
	var err error
	if !q.opt.Robustness && !q.opt.Races && !q.opt.Finals && !q.opt.KeepGoing && !q.opt.NoReduction {
		if err = bmc.Engine.Supports(q.QuestionTask(q.flat, q.model, &how)); err == nil {
			return nil
		}
	}
	return tooManyValues(q, err)
}

// tooManyValues refuses an input that has too many values to try them one by one. why is the
// objection of bmc, nil if bmc was not considered.
func tooManyValues(q *question, why error) error {
	d := q.Unsupported(engine.TriesInputs("this question", q.flat))
	if why != nil {
		d.Message = "this input has too many values to try them one by one"
		d.Notes = []string{
			"restrict its values with --nondet-range LO..HI, or use a smaller type",
			fmt.Sprintf("the engine bmc can take any input, but does not support this program: %v", why),
		}
	}
	return q.Refuse(d)
}
