package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// Templates: threads that stand for any number of threads.

// Replicated returns the functions after comments //@ replicate, separated by commas; "" if there is none.
func (p *Program) Replicated() string {
	var names []string
	for _, note := range p.Notes {
		if note.Text != "replicate" || note.Next.File == "" {
			continue
		}
		best := ""
		var at source.Pos
		for _, f := range p.IR.Funcs {
			if pos := f.Pos.Pos; pos.File == note.Next.File && !pos.Before(note.Next) && (best == "" || pos.Before(at)) {
				best, at = f.Name, pos
			}
		}
		if best == "" || !begins(p.Files[note.Next.File], note.Next, at) {
			best = functionAt(p.Files[note.Next.File], note.Next)
		}
		if !slices.Contains(names, best) {
			names = append(names, best)
		}
	}
	return strings.Join(names, ",")
}

// begins reports whether what begins at one position goes on at another: no statement or body ends in between. A function
// that nothing starts is not in the program, and the next one is another.
func begins(f *source.File, from, to source.Pos) bool {
	return f == nil || !strings.ContainsAny(f.Slice(source.Span{Pos: from, EndLine: to.Line, EndCol: to.Col}), ";{}")
}

// functionAt returns the name of a function that is not in the program: the word before its parameters.
func functionAt(f *source.File, at source.Pos) string {
	head := ""
	if f != nil {
		head, _, _ = strings.Cut(f.Line(at.Line), "(")
	}
	words := strings.FieldsFunc(head, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return fmt.Sprintf("what is at line %d", at.Line)
	}
	return words[len(words)-1]
}

// FlattenTemplates runs the passes on a program that has templates: in .fp as the text says, in C
// the threads that run the function Options.Replicate. It refuses programs without templates, and
// templates whose instances cannot be counted.
func (p *Program) FlattenTemplates(opt query.Options) (*ir.Program, error) {
	flat, err := p.Flatten(opt)
	if err != nil {
		return nil, err
	}
	if opt.Replicate != "" {
		if err := p.Replicate(flat, opt.Replicate); err != nil {
			return nil, err
		}
	}
	for t := range flat.Threads {
		if flat.Threads[t].Unbounded {
			return flat, p.countable(flat)
		}
	}
	return nil, p.Refuse(verdict.Diagnostic{
		Code:    "FP0910",
		Message: "no thread is a template for any number of threads",
		Notes:   []string{"write `thread worker * n` in .fp; in C, name the function that the threads run with --replicate FUNCTION, or write //@ replicate before it"},
	})
}

// Replicate makes templates of the threads that run functions, whose names are separated by commas.
func (p *Program) Replicate(flat *ir.Program, functions string) error {
	if _, err := transform.Replicate(p.IR, functions, 1); err != nil {
		return p.Refuse(verdict.Diagnostic{Code: "FP0911", Message: err.Error()})
	}
	for t := range flat.Threads {
		th := &flat.Threads[t]
		// A thread has the name of its function, with a number if there are several.
		if name, _, _ := strings.Cut(th.Name, "#"); !th.Start && slices.Contains(strings.Split(functions, ","), name) {
			th.Unbounded = true
		}
	}
	return nil
}

// countable refuses templates whose instances counting cannot tell apart: with thread-private
// objects in memory, or with a thread's number. The flat program has each of them once per template,
// as if all instances shared it.
func (p *Program) countable(flat *ir.Program) error {
	for t := range flat.Threads {
		if !flat.Threads[t].Unbounded {
			continue
		}
		f := flat.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if op.Kind == ir.Nop && op.Block.Undef && !flat.Objects[op.Obj].Masked {
				continue // it only says that nothing was written yet, and no check asks
			}
			if o := privateObject(p, op); o != ir.NoObject {
				return uncounted(p, &f.Edges[i], fmt.Sprintf("%s, of which every thread has its own,", flat.Objects[o].Name))
			}
		}
	}
	return p.Unnumbered()
}

// Unnumbered refuses a thread that asks for its own number.
func (p *Program) Unnumbered() error {
	for id, f := range p.IR.Funcs {
		if p.IR.Main != ir.NoThread && ir.FuncID(id) == p.IR.Threads[p.IR.Main].Func {
			continue // there is one main
		}
		for i := range f.Edges {
			if mentions(&f.Edges[i].Op, func(e *ir.Expr) bool { return e.Op == ir.Self }) {
				return uncounted(p, &f.Edges[i], "a thread that asks for its own number")
			}
		}
	}
	return nil
}

func uncounted(p *Program, e *ir.Edge, what string) error {
	return p.Refuse(verdict.Diagnostic{
		Code: "FP0907", Pos: Position(e.Pos),
		Message: fmt.Sprintf("for any number of threads: %s is not supported", what),
	})
}

// privateObject returns a thread-private object that an operation mentions: one that the passes made
// out of a local variable or a thread-local object.
func privateObject(p *Program, op *ir.Op) ir.ObjectID {
	if p.Private(op.Obj) {
		return op.Obj
	}
	found := ir.NoObject
	mentions(op, func(e *ir.Expr) bool {
		if e.Op == ir.AddrOf && p.Private(e.Obj) {
			found = e.Obj
		}
		return false
	})
	return found
}

// Private reports whether an object of the flat program is thread-private.
func (p *Program) Private(o ir.ObjectID) bool {
	return o != ir.NoObject && (int(o) >= len(p.IR.Objects) || p.IR.Objects[o].PerThread)
}

// mentions reports whether some part of an operation's expressions satisfies a predicate.
func mentions(op *ir.Op, such func(*ir.Expr) bool) bool {
	found := false
	one := *op
	one.Exprs(func(e *ir.Expr) *ir.Expr {
		e.Walk(func(part *ir.Expr) { found = such(part) || found })
		return e
	})
	return found
}
