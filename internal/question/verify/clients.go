package verify

import (
	"fmt"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/lin"
	"fencepost/verdict"
)

// Answers about objects.

// errRandom is why an answer of random executions is open.
var errRandom = fmt.Errorf("%w: random executions are not run again: lin --fuzz does so with the same --seed", errOpen)

// readClient reads the client that an answer about an object shows, which is the program of its executions.
func (v *verifier) readClient(shown *verdict.Linearizability) error {
	q := v.question.lin
	if q == nil {
		return fmt.Errorf("the answer shows a client, which was not asked for")
	}
	in, opt := lin.Client(v.in, *q, shown)
	v.run, v.opt = pipeline.Open(in), opt
	return v.read()
}

// clients verifies an answer that shows no client: all of them are asked about again.
func (v *verifier) clients(r *verdict.Result) error {
	q := v.question.lin
	if q == nil {
		return fmt.Errorf("the answer is about clients, which were not asked for")
	}
	if q.Calls == 0 { // as many as there was time for
		q.Calls = r.Linearizability.Calls
	}
	if q.Fuzz > 0 {
		v.judge(r.Model, "answer", r.Verdict.String(), errRandom)
		return nil
	}
	want := map[string]string{}
	for name := range r.Sources {
		want[name] = pipeline.StoredText(v.in.Text)
		for _, f := range v.in.More {
			if f.Name == name {
				want[name] = pipeline.StoredText(f.Text)
			}
		}
	}
	v.judge(r.Model, "sources", "the program", sameSources(r.Sources, want))
	v.rest(r)
	return nil
}
