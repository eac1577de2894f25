package lin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/certificate"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/question/check"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Certificates that an object is linearizable (docs/certificates.md). The proof has, for each client and each order of its
// calls that matters, what the calls can return, and a proof that they return nothing else. Which sequences explain that is
// found by the rules of package replay, and the search for histories without explanation is that of package certificate.

// keptClient is a client that was found to be right.
type keptClient struct {
	*clientSearch
	calls int  // the size of the clients among which it was
	stuck bool // a call that waits for ever is a mistake
	heap  bool // blocks came from the heap
}

// keep keeps a client for a proof.
func (s *search) keep(x *clientSearch, stuck bool) {
	if s.kept != nil {
		s.kept = append(s.kept, &keptClient{x, s.calls, stuck, s.writer.heap})
	}
}

// proofs answer about clients, in the order in which these are looked at.
type proofs struct {
	reader   *certificate.Reader
	coverage verdict.Coverage
	programs int
	can      map[certificate.Order][][]int64 // of the client that is looked at
}

// errRefused says that a certificate is none.
var errRefused = errors.New("a call fails, or waits for ever, in a client")

// certify proves an answer, if the options ask for that.
func certify(ctx context.Context, q *question, model memory.Model, res *verdict.Result) error {
	if !q.opt.Wanted() || res.Verdict != verdict.Safe {
		return nil
	}
	q.run.Stage = "certificate under " + res.Model
	ctx, cancel := supervise.TimeLimit(ctx, q.opt.Timeout)
	defer cancel()
	file, calls, err := q.prove(ctx, model, res.Linearizability.Calls)
	var covered *proofs
	if err == nil {
		covered, err = q.verified(ctx, model, file)
	}
	refuted := (*certificate.Refuted)(nil)
	switch {
	case errors.As(err, &refuted) && res.Coverage.Complete() && !refuted.Beyond && q.last.bounds == nil:
		return fmt.Errorf("the engines say linearizable, and the checker of certificates refutes it: %s", refuted.What)
	case errors.As(err, &refuted):
		pipeline.Uncertified(res, "outside of what the engines cover, "+refuted.What)
		return nil
	case errors.Is(err, certificate.ErrUnexplained):
		return err
	case err != nil:
		pipeline.Uncertified(res, check.InTime(ctx, err).Error())
		return nil
	}
	res.Linearizability.Calls = calls
	for i := range res.Coverage.Bounds {
		if b := &res.Coverage.Bounds[i]; b.Name == "calls" {
			b.Value = calls
		}
	}
	res.Coverage.Certificate = &verdict.Certificate{Kind: certificate.KindHistories, Size: covered.programs, Bytes: int64(len(file))}
	pipeline.Certified(res, covered.coverage, pipeline.GivenBy(&q.opt.Options))
	if q.opt.Certificate != nil && res.Verdict == verdict.Safe {
		_, err = q.opt.Certificate.Write(file)
	}
	return err
}

// prove makes a proof for the clients with at most so many calls or, if the user did not say how many, with as many as the
// time allows. It returns their number.
func (q *question) prove(ctx context.Context, model memory.Model, most int) ([]byte, int, error) {
	s, whole := q.last, 0
	var clients [][]certificate.Imposed
	for i, k := range s.kept {
		if i > 0 && k.calls > s.kept[i-1].calls {
			whole = len(clients)
		}
		one, err := k.prove(ctx, q.opt.Options)
		if err != nil && ctx.Err() != nil && q.opt.Calls == 0 && whole > 0 {
			clients, most = clients[:whole], k.calls-1
			break
		}
		if err != nil {
			return nil, 0, fmt.Errorf("client %s: %w", k.c, err)
		}
		clients = append(clients, one)
	}
	asked, names := q.opt, check.NamesOf(&q.in)
	if spec := &asked.SpecFile; spec.Name != "" { // the one who verifies gives the text, as the last file
		names = append(names, spec.Name)
		spec.Text = nil
	}
	c := certificate.Statement{Tool: q.opt.Tool, Names: names, Calls: most, Asked: pipeline.NewAsked(Command, asked)}
	c.AboutClients(model.String(), q.list(s, most), string(verdict.Linearizable))
	var file bytes.Buffer
	err := certificate.WriteHistories(&file, &c, clients)
	return file.Bytes(), most, err
}

// list names all clients with at most so many calls.
func (q *question) list(s *search, most int) string {
	var b strings.Builder
	w := *s.writer
	w.heap = false
	for calls := 2; calls <= most; calls++ {
		for prefix := range maxPrefix + 1 {
			for _, c := range clients(q.object, calls, prefix, q.drains) {
				b.WriteString(w.program(c, c.programOrder(), nil, ""))
			}
		}
	}
	return b.String()
}

// prove finds the orders of a client that matter, and proves what its calls can return with each of them.
func (k *keptClient) prove(ctx context.Context, opt query.Options) ([]certificate.Imposed, error) {
	x := k.clientSearch
	x.setHeap(k.heap)
	can := map[certificate.Order][][]int64{}
	h := x.histories(ctx, can)
	h.Explore = func(o certificate.Order) error {
		if _, known := x.values[order(o)]; !known {
			if _, err := x.results(ctx, order(o), false); err != nil {
				return err
			}
		}
		can[o] = x.values[order(o)]
		return nil
	}
	if err := h.Check(); err != nil {
		return nil, err
	}
	var out []certificate.Imposed
	for o := range can {
		out = append(out, certificate.Imposed{Order: o, Results: can[o]})
	}
	slices.SortFunc(out, func(a, b certificate.Imposed) int { return int(int64(a.Order - b.Order)) })
	for i := range out {
		slices.SortFunc(out[i].Results, slices.Compare)
		proof, err := x.made(order(out[i].Order), out[i].Results, k.stuck, opt).Prove(ctx, "")
		if err != nil {
			return nil, err
		}
		out[i].Proof = proof
	}
	return out, nil
}

// histories returns what the checker looks at.
func (x *clientSearch) histories(ctx context.Context, can map[certificate.Order][][]int64) *certificate.Histories {
	return &certificate.Histories{
		Calls: len(x.c.concurrent()), Threads: certificate.Order(x.c.programOrder()), Pending: x.c.pending,
		Alone: x.itself && x.writer.returns != query.ReturnOpen, Can: can,
		Sequences: func(results []int64) ([][]int, error) {
			all, err := x.spec.explanations(ctx, x.c, results)
			out := make([][]int, len(all))
			for i, s := range all {
				out[i] = s
			}
			return out, err
		},
	}
}

// made returns the client with an order of its calls, and the question whether these return anything but some results. If
// calls may wait for ever, no state of the client is final, and an assertion asks it.
func (x *clientSearch) made(o order, all [][]int64, stuck bool, opt query.Options) *check.Made {
	opt.C, opt.Lang, opt.Progress = x.explorer.opt.C, x.explorer.opt.Lang, nil
	m := &check.Made{Model: x.model, Options: opt, Stuck: stuck}
	if x.c.checks {
		m.Input = x.explorer.input(x.writer.allows(x.c, o, oneOf(all)))
		return m
	}
	m.Input = x.explorer.input(x.writer.program(x.c, o, nil, ""))
	slots := x.c.slotOf()
	m.Final = func(flat *ir.Program) (*property.Final, error) {
		vars, err := observe(flat, []variable{{resultName, slots[len(slots)-1]}})
		if err != nil || len(vars) == 0 {
			return nil, err
		}
		any := ir.Int(0)
		for _, results := range all {
			same := ir.Int(1)
			for i, v := range results {
				same = ir.Binary(ir.LAnd, ir.S64, same, ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(i)), ir.Int(v)))
			}
			any = ir.Binary(ir.LOr, ir.S64, any, same)
		}
		return &property.Final{Quantifier: property.Forall, Cond: &property.Cond{Vars: vars, Expr: any, Text: "the calls return what the proof says"}}, nil
	}
	return m
}

// oneOf returns the condition that results are some of these.
func oneOf(all [][]int64) string {
	ways := []string{"0"}
	for _, results := range all {
		var wild []*int64
		for i := range results {
			wild = append(wild, &results[i])
		}
		ways = append(ways, "("+are(wild)+")")
	}
	return strings.Join(ways, " ||\n         ")
}

// proved returns what the certificate says about the next client, after it has checked the proofs.
func (x *clientSearch) proved(ctx context.Context, stuck bool) (*explored, error) {
	slots, threads := x.c.slotOf(), x.c.programOrder()
	all, err := x.proofs.reader.Client(len(x.c.concurrent()), slots[len(slots)-1], certificate.Order(threads))
	if err != nil {
		return nil, err
	}
	x.proofs.can = map[certificate.Order][][]int64{}
	for _, one := range all {
		covered, err := x.made(order(one.Order), one.Results, stuck, x.explorer.opt).Check(ctx, one.Proof)
		if err != nil {
			return nil, fmt.Errorf("client %s: %w", x.c, err)
		}
		x.proofs.coverage.Exhaustive = x.proofs.coverage.Exhaustive && covered.Exhaustive
		for _, b := range covered.Bounds {
			if !slices.ContainsFunc(x.proofs.coverage.Bounds, func(a verdict.Bound) bool { return a.Name == b.Name && a.Value == b.Value }) {
				x.proofs.coverage.Bounds = append(x.proofs.coverage.Bounds, b)
			}
		}
		x.proofs.programs++
		x.proofs.can[one.Order] = one.Results
	}
	return &explored{cover: verdict.Coverage{Exhaustive: true}}, nil
}

// judged returns an error unless the checker finds an explanation of every history of the client.
func (x *clientSearch) judged(ctx context.Context) error {
	if err := x.histories(ctx, x.proofs.can).Check(); err != nil {
		return fmt.Errorf("client %s: %w", x.c, err)
	}
	return nil
}

// verified checks a certificate. Everything but what it says about executions is made again, without engines.
func (q *question) verified(ctx context.Context, model memory.Model, file []byte) (*proofs, error) {
	r, err := certificate.Open(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return q.check(ctx, model, r)
}

// check checks a certificate that is open.
func (q *question) check(ctx context.Context, model memory.Model, r *certificate.Reader) (*proofs, error) {
	if r.Calls > maxCalls {
		return nil, certificate.ErrDamaged
	}
	again := *q
	q = &again
	q.rules, q.drains = true, false
	s, err := q.search(ctx, model)
	if err != nil {
		return nil, err
	}
	if err := r.Fits(model.String(), q.list(s, r.Calls), string(verdict.Linearizable)); err != nil {
		return nil, err
	}
	s.proofs = &proofs{reader: r, coverage: verdict.Coverage{Exhaustive: true}}
	for calls := 2; calls <= r.Calls; calls++ {
		for prefix := range maxPrefix + 1 {
			for _, c := range clients(q.object, calls, prefix, q.drains) {
				wrong, failed, err := s.inClient(ctx, c)
				switch {
				case err != nil:
					return nil, err
				case wrong != nil:
					return nil, fmt.Errorf("client %s: %w", c, certificate.ErrUnexplained)
				case failed:
					return nil, fmt.Errorf("client %s: %w", c, errRefused)
				}
			}
		}
	}
	if s.proofs.programs == 0 {
		return nil, errors.New("the certificate is about no client")
	}
	return s.proofs, r.End()
}

// byRules explores a program that makes calls one at a time, by the rules of package replay.
func byRules(ctx context.Context, run *pipeline.Run, opt query.Options, vars []variable) (*explored, error) {
	run.Props = &property.Set{Checks: true}
	plain, err := pipeline.FlattenPlain(run.Program, opt)
	if err != nil {
		return &explored{diags: run.Diagnostics}, err
	}
	seen, err := observe(plain, vars)
	if err != nil {
		return nil, err
	}
	finals, whole, err := certificate.Results(ctx, plain, seen)
	if refuted := (*certificate.Refuted)(nil); errors.As(err, &refuted) {
		return &explored{fails: &engine.Violation{Kind: engine.CheckFailed, Class: refuted.Class}, error: verdict.Violation{Reason: check.WhatFailed(plain, refuted)}}, nil
	}
	if err != nil {
		return nil, err
	}
	return &explored{finals: finals, ends: len(finals) > 0, cover: verdict.Coverage{Exhaustive: whole}}, nil
}

// VerifyCertificate checks a certificate of lin. The error of a check says why it was refused. override changes the options
// with which a file of this name was read.
func VerifyCertificate(ctx context.Context, in query.Input, r *certificate.Reader, override func(opt *query.Options, name string)) (query.VerifyAnswer, error) {
	var asked query.LinOptions
	return check.Verify(ctx, in, r, &asked, &asked.Options, override, func(ctx context.Context, run *pipeline.Run) (string, error) {
		model, err := pipeline.ParseAnyModel(query.Model(r.Model))
		if err != nil {
			return "", &query.DamagedError{Why: err.Error()}
		}
		ctx, cancel := supervise.TimeLimit(ctx, asked.Timeout)
		defer cancel()
		q := &question{run: run, in: run.Input, opt: asked}
		if q.opt.SpecFile.Name != "" {
			last := len(q.in.More) - 1
			if last < 0 {
				return "", &query.DamagedError{Why: "the certificate is about a specification in a file, which has to be given after the program"}
			}
			q.opt.SpecFile = query.Input{Name: q.in.More[last].Name, Text: q.in.More[last].Text}
			q.in.More = q.in.More[:last]
		}
		if err := q.findObject(ctx); err != nil {
			return "", err
		}
		covered, err := q.check(ctx, model, r)
		if err != nil {
			return "", check.InTime(ctx, err)
		}
		text := fmt.Sprintf("linearizable in all clients with at most %d concurrent calls", r.Calls)
		return check.Proved(text, &certificate.Covered{Kind: certificate.KindHistories, Size: covered.programs}, covered.coverage, r), nil
	})
}
