package lin

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/query"
	"fencepost/verdict"
)

// Exploring a client: the results of all its executions are its final states, as check --final-states lists them.

// explored has the results of the executions of a program, and what is missing.
type explored struct {
	finals [][]int64            // the values of the variables that were asked for, in each final state
	fails  *engine.Violation    // an error of the program, a data race or, if asked for, a deadlock; nil: none
	error  verdict.Violation    // what fails says
	open   string               // why not all executions are known; "": they are
	cover  verdict.Coverage     // what the search left out
	states int64                // states or executions
	ends   bool                 // some execution comes to its end
	diags  []verdict.Diagnostic // why the program was refused
}

// variable is a static variable of a program, or an array of them.
type variable struct {
	name  string
	count int
}

// request says what is looked at in the executions of a program.
type request struct {
	vars  []variable
	model memory.Model
	stuck bool // threads that wait for ever are an error
	exits bool // the states in which exit is called count, too
}

// explorer explores programs that include the file of the user.
type explorer struct {
	opt  query.Options
	name string // of programs
	more []query.File
	code *query.Input // an object to which programs belong; nil: they are programs by themselves
	// rules explores by the rules of replay alone, under SC.
	rules bool
}

// input returns a program.
func (x *explorer) input(text string) query.Input {
	if x.code != nil {
		more := append(slices.Clone(x.code.More), query.File{Name: x.name, Text: []byte(text)})
		return query.Input{Name: x.code.Name, Text: x.code.Text, More: more}
	}
	return query.Input{Name: x.name, Text: []byte(text), More: x.more}
}

// explore returns what the executions of a program come to.
func (x *explorer) explore(ctx context.Context, text string, at *request) (*explored, error) {
	run := pipeline.Open(x.input(text))
	opt := x.opt
	opt.Progress = nil
	err := run.Read(ctx, pipeline.ReadOptions{Options: opt})
	if err == nil && x.rules {
		return byRules(ctx, run, opt, at.vars)
	}
	var flat *ir.Program
	if err == nil {
		flat, err = run.FlattenFixed(opt)
	}
	if err == nil && memory.HasC11 && at.model == memory.C11 {
		flat, err = pipeline.ForC11(run.Program, flat)
	}
	if err != nil {
		return &explored{diags: run.Diagnostics}, err
	}
	run.Props = &property.Set{Checks: true, Deadlock: at.stuck, Endless: at.stuck}
	if run.Props.Observe, err = observe(flat, at.vars); err != nil {
		return nil, err
	}
	task := run.Task(flat, at.model, &opt)
	task.ExitFinals = at.exits
	out, err := allFinals(ctx, task, &opt)
	if err != nil {
		return nil, err
	}
	res := &explored{open: out.Unknown, cover: out.Coverage, states: out.Stats.States + out.Stats.Executions, ends: out.Stats.FinalStates > 0}
	if len(out.Violations) > 0 {
		res.fails = &out.Violations[0]
		if res.fails.Kind == engine.CheckFailed {
			res.error = run.Describe(res.fails)
		}
	}
	if len(run.Props.Observe) == 0 && res.ends { // all final states are the same
		res.finals = [][]int64{nil}
		return res, nil
	}
	for _, state := range out.Finals {
		res.finals = append(res.finals, values(state))
	}
	return res, nil
}

// allFinals collects the final states.
func allFinals(ctx context.Context, task *engine.Task, opt *query.Options) (*engine.Outcome, error) {
	if task.Model != memory.C11 {
		out, _, err := pipeline.AllFinals(ctx, task, opt)
		return out, err
	}
	task.Finals, task.KeepGoing = true, true
	out, err := pipeline.RunEngine(ctx, &rf.Engine, task)
	if err == nil {
		pipeline.Mark(&out.Coverage, pipeline.GivenBy(opt))
	}
	return out, err
}

// observe returns variables as properties see them.
func observe(flat *ir.Program, vars []variable) ([]property.Var, error) {
	return observeSize(flat, vars, ir.S64)
}

// observeSize does so for variables of some type.
func observeSize(flat *ir.Program, vars []variable, typ ir.Type) ([]property.Var, error) {
	var out []property.Var
	for _, v := range vars {
		if v.count == 0 {
			continue
		}
		at := slices.IndexFunc(flat.Objects, func(o ir.Object) bool { return o.Name == v.name })
		if at < 0 {
			return nil, fmt.Errorf("the program has no variable %s", v.name)
		}
		for i := range v.count {
			out = append(out, property.Var{Name: "v", Thread: ir.NoThread, Addr: flat.Objects[at].Addr + uint64(typ.Size()*i), Type: typ})
		}
	}
	return out, nil
}

// values returns the values in the text of a final state.
func values(state string) []int64 {
	var out []int64
	for part := range strings.FieldsSeq(state) {
		_, text, _ := strings.Cut(part, "=")
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			panic("BUG: a final state without numbers: " + state)
		}
		out = append(out, v)
	}
	return out
}

// complete reports whether the exploration left nothing out.
func (e *explored) complete() bool { return e.open == "" && e.cover.Exhaustive }

// key returns values as a text.
func key(values []int64) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString(strconv.FormatInt(v, 10))
		b.WriteByte(' ')
	}
	return b.String()
}
