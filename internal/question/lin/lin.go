package lin

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"fencepost/internal/frontend/c"
	"fencepost/internal/frontend/elf"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "lin"

// Run answers whether the functions of a file form a linearizable object, under each model.
func Run(ctx context.Context, in query.Input, opt query.LinOptions) (query.Answer, error) {
	run := pipeline.Open(in)
	run.Asks(verdict.Linearizable, opt.Models.OrTSO()...)
	return run.Answer(ctx, Command, opt, func(ctx context.Context) ([]verdict.Result, error) {
		if err := opt.Validate(); err != nil {
			return nil, err
		}
		q := &question{run: run, in: in, opt: opt}
		return pipeline.UnderEach(opt.Models, func(_ query.Model, model memory.Model) (*verdict.Result, error) {
			res, err := q.under(ctx, model)
			if err == nil {
				err = certify(ctx, q, model, res)
			}
			if err != nil {
				return nil, q.refuse(err)
			}
			return res, nil
		})
	})
}

// question is the question about one file.
type question struct {
	run      *pipeline.Run
	in       query.Input
	opt      query.LinOptions
	object   *Object
	library  *elf.Library // of machine code
	specName string
	drains   bool
	hasMain  bool // the file has a main, which clients leave out
	rules    bool // sequences of calls are explored by the rules of replay alone
	last     *search
}

// refuse turns errors of the user into diagnostics.
func (q *question) refuse(err error) error {
	bad, comment, open := (*refusedError)(nil), (*noteError)(nil), (*openError)(nil)
	switch {
	case errors.As(err, &open):
		return q.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: open.why})
	case errors.As(err, &bad):
		q.run.Diagnostics = append(q.run.Diagnostics, bad.diags...)
		return pipeline.ErrRefused
	case errors.As(err, &comment):
		return q.run.Refuse(verdict.Diagnostic{Code: "FP0944", Pos: verdict.Pos{File: comment.pos.File, Line: comment.pos.Line, Col: comment.pos.Col}, Message: comment.text})
	}
	return err
}

// under answers under one model.
func (q *question) under(ctx context.Context, model memory.Model) (*verdict.Result, error) {
	ctx, cancel := supervise.TimeLimit(ctx, q.opt.Timeout)
	defer cancel()
	if why := q.refusedFuzz(); q.opt.Fuzz > 0 && why != "" {
		return nil, q.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: why})
	}
	if q.object == nil {
		if err := q.findObject(ctx); err != nil {
			return nil, err
		}
		if q.opt.Found != nil {
			q.opt.Found(q.describe())
		}
	}
	if q.opt.Fuzz > 0 && q.opt.SpecFile.Name == "" {
		if i := slices.IndexFunc(q.object.Ops, func(op *Operation) bool { return op.state }); i >= 0 {
			return nil, q.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: "what " + q.object.Ops[i].Name + " does depends on the thread that calls it, and random executions are compared with calls of one thread", Notes: []string{"give a specification as a C file, --spec FILE.c, or leave --fuzz out"}})
		}
	}
	q.run.Stage = "clients under " + model.String()
	s, err := q.search(ctx, model)
	q.last = s
	if open := (*openError)(nil); errors.As(err, &open) {
		return q.holds(ctx, &search{begun: time.Now(), model: model}, 0, open.why), nil
	}
	if err != nil {
		return nil, err
	}
	if q.opt.Mutate && q.opt.Calls == 0 {
		q.opt.Calls = mutateCalls
	}
	search := q.clients
	if q.opt.Fuzz > 0 {
		search = q.random
	}
	res, err := search(ctx, s)
	if err == nil && q.opt.Mutate && res.Verdict == verdict.Safe {
		res.Linearizability.Mutants, err = q.mutate(ctx, s, q.opt.Calls)
	}
	if open := (*openError)(nil); errors.As(err, &open) {
		return q.holds(ctx, s, 0, open.why), nil
	}
	return res, err
}

// clients looks at clients, the smallest ones first.
func (q *question) clients(ctx context.Context, s *search) (*verdict.Result, error) {
	most := q.opt.Calls
	if most == 0 {
		most = maxCalls
	}
	if q.opt.Wanted() {
		s.kept = []*keptClient{}
	}
	done, any := 0, false
	for calls := 2; calls <= most; calls++ {
		s.calls = calls
		for prefix := range maxPrefix + 1 {
			list := clients(q.object, calls, prefix, q.drains)
			any = any || len(list) > 0
			for i, c := range list {
				q.progress(s, len(list), i)
				wrong, failed, err := s.inClient(ctx, c)
				if over := outOfTime(ctx, err); over != "" {
					if done > 0 && q.opt.Calls == 0 {
						return q.holds(ctx, s, done, ""), nil
					}
					return q.holds(ctx, s, done, fmt.Sprintf("%s with client %s", over, c)), nil
				}
				switch {
				case err != nil:
					return nil, err
				case failed:
					return q.failed(ctx, s, s.last)
				case wrong != nil:
					return q.wrong(ctx, s, wrong)
				}
			}
		}
		if any { // locks have no clients with 2 or 3 calls
			done = calls
		}
	}
	if !any { // and nothing was asked
		return nil, q.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: fmt.Sprintf("there is no client with two threads and at most %d concurrent calls", most), Notes: []string{
			"the operations are " + strings.Join(q.describe().Operations, ", "), "give more of them with --ops or //@ op, or a larger number with --calls",
		}})
	}
	return q.holds(ctx, s, done, ""), nil
}

// progress reports how many clients of one size are done.
func (q *question) progress(s *search, all, done int) {
	if q.opt.Progress != nil {
		q.opt.Progress(query.Progress{Model: query.Model(s.model.String()), Under: query.Model(s.model.String()), Engine: Command, States: s.states, Executions: int64(done), Low: int64(all), High: int64(all)})
	}
}

// outOfTime returns what to say if an error comes from the end of the time, else "".
func outOfTime(ctx context.Context, err error) string {
	if err == nil || ctx.Err() == nil {
		return ""
	}
	return "the time limit was reached"
}

// search prepares the search under a model.
func (q *question) search(ctx context.Context, model memory.Model) (*search, error) {
	return q.searchIf(ctx, model, q.opt.Return)
}

// searchIf prepares the search where calls return as said.
func (q *question) searchIf(ctx context.Context, model memory.Model, returns query.Return) (*search, error) {
	dir, base := path.Split(q.in.Name)
	name := dir + strings.TrimSuffix(base, path.Ext(base)) + "_client.c"
	w := &writer{object: q.object, include: base, returns: returns, hasMain: q.hasMain}
	x := &explorer{opt: q.opt.Options, name: name, more: q.in.More, rules: q.rules}
	if q.library != nil {
		x.code, w.prelude = &q.in, prelude(q.library, q.object)
	}
	x.opt.Timeout = 0 // the question has a limit
	x.opt.Lang = ""
	x.opt.C.Include = including(q.in, q.opt.C.Include)
	spec := &specification{writer: w, explorer: x, tables: map[string]*table{}}
	q.specName = "the code itself, one call at a time"
	itself := true
	if f := q.opt.SpecFile; f.Name != "" {
		q.specName, itself = f.Name, false
		if err := q.complete(ctx, f); err != nil {
			return nil, err
		}
		theirs := *x
		theirs.more, theirs.code = nil, nil
		theirs.opt.C.Include = including(query.Input{Name: f.Name, Text: f.Text}, q.opt.C.Include)
		specDir, specBase := path.Split(f.Name)
		theirs.name = specDir + strings.TrimSuffix(specBase, path.Ext(specBase)) + "_calls.c"
		spec = &specification{writer: &writer{object: q.object, include: specBase}, explorer: &theirs, tables: map[string]*table{}}
	}
	var kind *conformity
	if q.opt.Spec != "" && itself {
		var err error
		if kind, err = newConformity(q.opt.Spec, q.object); err != nil {
			return nil, q.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: err.Error(), Notes: []string{"leave operations out with --ops, or write the specification as a C file: --spec FILE.c"}})
		}
		q.specName = fmt.Sprintf("a %s, which the code itself must be, one call at a time", q.opt.Spec)
	}
	s := &search{begun: time.Now(), kind: kind, writer: w, explorer: x, spec: spec, model: model, itself: itself}
	return s, q.findDrain(ctx, spec)
}

// complete checks that a specification has the operations.
func (q *question) complete(ctx context.Context, f query.Input) error {
	run := pipeline.Open(query.Input{Name: f.Name, Text: f.Text})
	list, err := pipeline.Signatures(ctx, run, q.opt.Options)
	if err != nil {
		return refusedBy(&explored{diags: run.Diagnostics}, err)
	}
	for _, op := range q.object.Ops {
		at := slices.IndexFunc(list, func(s c.Signature) bool { return s.Name == op.Name })
		what := ""
		switch {
		case at < 0 && strings.Contains(string(f.Text), "#include \""):
			continue // it may be there
		case at < 0:
			what = "has no function " + op.Name
		case len(list[at].Params) != len(op.Params):
			what = fmt.Sprintf("has a function %s with other parameters", op.Name)
		case (list[at].Result == "void") != (op.Result == "void"):
			what = fmt.Sprintf("has a function %s with another result", op.Name)
		default:
			continue
		}
		return q.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: f.Name + " " + what, Notes: []string{"a specification has the same functions as the object; --ops leaves operations out"}})
	}
	return nil
}

// findDrain finds out whether a suffix can take everything out: no call of it waits.
func (q *question) findDrain(ctx context.Context, spec *specification) error {
	c := &client{}
	if c.suffix = suffix(q.object, c); len(c.suffix) == 0 {
		return nil
	}
	t, err := spec.table(ctx, c, 0)
	if open := (*openError)(nil); errors.As(err, &open) && ctx.Err() == nil {
		return nil // clients say whether the calls fail where they are expected to work
	}
	if err != nil {
		return err
	}
	q.drains = len(t.finals) > 0
	return nil
}

// including lets clients include a file whose text is known.
func including(in query.Input, others func(string) ([]byte, bool)) func(string) ([]byte, bool) {
	return func(name string) ([]byte, bool) {
		if path.Clean(name) == path.Clean(in.Name) {
			return in.Text, true
		}
		if others != nil {
			return others(name)
		}
		return nil, false
	}
}

// signatures lists the functions of the file.
func (q *question) signatures(ctx context.Context) ([]c.Signature, error) {
	reading := pipeline.Open(query.Input{Name: q.in.Name, Text: q.in.Text})
	if strings.HasPrefix(string(q.in.Text[:min(len(q.in.Text), 7)]), "!<arch>") {
		return nil, q.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: "this is an archive, and its operations are not known", Notes: []string{"give the object that has them first, and the archive after it"}})
	}
	if pipeline.IsMachineCode(q.in.Text) {
		return q.machineCode(reading)
	}
	list, err := pipeline.Signatures(ctx, reading, q.opt.Options)
	if err != nil {
		return nil, refusedBy(&explored{diags: reading.Diagnostics}, err)
	}
	return list, nil
}

// findObject finds the operations.
func (q *question) findObject(ctx context.Context) error {
	list, err := q.signatures(ctx)
	if err != nil {
		return err
	}
	list, q.hasMain = withoutMain(list)
	lines := strings.Split(string(q.in.Text), "\n")
	f := &finder{file: q.in.Name, signatures: list, notes: map[string][]note{}, init: q.opt.Init, destroy: q.opt.Destroy, hidden: hiddenIn(q.in.Name, lines, list)}
	if err := f.named(q.opt.Ops); err != nil {
		return q.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: err.Error(), Notes: []string{"write names with commas between them, as in push:owner,take:owner,steal=-1"}})
	}
	for i := range list {
		if q.library != nil {
			break // comments are in the source
		}
		s := &list[i]
		if f.notes[s.Name], err = notesBefore(lines, q.in.Name, declarationLine(lines, s.Pos.Line)); err != nil {
			return err
		}
	}
	if q.object, err = f.find(); err != nil {
		comment := (*noteError)(nil)
		if errors.As(err, &comment) {
			return err
		}
		return q.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: err.Error(), Notes: []string{"name the operations with --ops a,b and what prepares the object with --init, or write //@ op before each operation"}})
	}
	return nil
}

// withoutMain returns functions without main, and whether it was there.
func withoutMain(list []c.Signature) ([]c.Signature, bool) {
	n := len(list)
	list = slices.DeleteFunc(list, func(s c.Signature) bool { return s.Name == "main" })
	return list, len(list) < n
}

// declarationLine returns the first line of the declaration that has a line.
func declarationLine(lines []string, line int) int {
	for line > 1 {
		above := strings.TrimSpace(lines[line-2])
		if above == "" || strings.HasPrefix(above, "//") || strings.HasPrefix(above, "#") || strings.HasSuffix(above, "*/") || strings.HasSuffix(above, ";") || strings.HasSuffix(above, "}") {
			break
		}
		line--
	}
	return line
}

// hiddenIn returns which functions are not for clients: static ones of a C file that has others, and names with an underscore
// at the beginning.
func hiddenIn(file string, lines []string, list []c.Signature) func(*c.Signature) bool {
	static := func(s *c.Signature) bool {
		for n := declarationLine(lines, s.Pos.Line); n <= s.Pos.Line; n++ {
			if strings.Contains(lines[n-1], "static") {
				return true
			}
		}
		return false
	}
	if pipeline.IsMachineCode([]byte(lines[0])) {
		return func(s *c.Signature) bool { return strings.HasPrefix(s.Name, "_") }
	}
	open := false
	for i := range list {
		open = open || !static(&list[i]) && list[i].Name != "main"
	}
	return func(s *c.Signature) bool {
		return strings.HasPrefix(s.Name, "_") || path.Ext(file) == ".c" && open && static(s)
	}
}
