package elf

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Where a program begins: at main, after the functions of .preinit_array and .init_array, which constructors of C++
// are; or, where the user names functions, in a main that is made up: it starts a thread for each of them, waits for
// all, and calls the function that comes last.

// Entry is a function that runs as a thread, with its argument.
type Entry struct {
	Name string
	Arg  int64
}

// parseEntry reads a name, or a name with a number in parentheses.
func parseEntry(s string) (Entry, error) {
	name, rest, has := strings.Cut(s, "(")
	e := Entry{Name: strings.TrimSpace(name)}
	if has {
		n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, ")")), 0, 64)
		if err != nil || !strings.HasSuffix(rest, ")") {
			return e, fmt.Errorf("%q is neither a name nor a name with a number in parentheses", s)
		}
		e.Arg = n
	}
	if e.Name == "" {
		return e, fmt.Errorf("%q has no name of a function", s)
	}
	return e, nil
}

// thread is a function that the made-up main starts.
type thread struct {
	f   *function
	arg int64
}

// begins finds the functions in which the program begins, and all that they mention.
func (p *program) begins(diags *diag.List, at source.Span) {
	if !p.initialisers(diags) {
		return
	}
	if p.opt.client != nil {
		p.calledByClient(diags, at)
		return
	}
	if len(p.opt.Entry) == 0 && p.opt.Finally == "" {
		if main := p.image.Linked["main"]; main != nil && main.Sec != nil && main.Sec.Exec {
			p.find(main)
			return
		}
		diags.Errorf(codeMain, at, "the program has no function main").Note("--entry names functions that run as threads instead")
		return
	}
	if len(p.opt.Entry) == 0 {
		diags.Errorf(codeMain, at, "--finally needs functions that run before it").Note("--entry names them")
		return
	}
	for _, f := range p.first {
		p.taken[f] = true
	}
	function := func(name string) *function {
		sym := p.byName(name)
		if sym == nil {
			diags.Errorf(codeMain, at, "the program has no function %s", name)
			return nil
		}
		f := p.find(sym)
		p.taken[f] = true
		return f
	}
	for _, e := range p.opt.entries {
		if f := function(e.Name); f != nil {
			p.threads = append(p.threads, thread{f, e.Arg})
		}
	}
	if p.opt.Finally != "" {
		p.last = function(p.opt.Finally)
	}
}

// calledByClient finds the functions that the client calls.
func (p *program) calledByClient(diags *diag.List, at source.Span) {
	if len(p.opt.Entry) > 0 || p.opt.Finally != "" {
		diags.Errorf(codeMain, at, "--entry and --finally do not go with a client in C, which has the main")
		return
	}
	for _, f := range p.first {
		p.taken[f] = true
	}
	p.byClient = map[string]*function{}
	for _, name := range p.opt.client.symbols {
		sym := p.byName(name)
		if sym == nil {
			diags.Errorf(codeMain, at, "the program has no function %s", name)
			return
		}
		f := p.find(sym)
		p.taken[f] = true
		p.byClient[name] = f
	}
}

// byName returns the function of a name, as the file or as people write it; nil if there is none, or several local ones.
func (p *program) byName(name string) *object.Symbol {
	is := func(s *object.Symbol) bool {
		return s != nil && s.Sec != nil && s.Sec.Exec && s.Kind == object.Function
	}
	if s := p.image.Linked[name]; is(s) {
		return s
	}
	var found *object.Symbol
	for _, s := range p.image.Symbols {
		if !is(s) || s.Name != name && shortName(s.Name) != name {
			continue
		}
		if found != nil && found.Addr() != s.Addr() {
			return nil
		}
		found = s
	}
	return found
}

// startup are functions of the compiler's own start-up code that do nothing here.
var startup = []string{"frame_dummy", "init_cacheinfo", "register_tm_clones", "__do_global_dtors_aux"}

// initialisers finds the functions that run before main, in their order, and refuses functions that run after it.
func (p *program) initialisers(diags *diag.List) bool {
	type list struct {
		sec   *object.Section
		order int
	}
	var lists []list
	for _, s := range p.image.Sections {
		name, number, _ := strings.Cut(strings.TrimPrefix(s.Name, "."), ".")
		order := 1 << 20
		if n, err := strconv.Atoi(number); err == nil {
			order = n
		}
		switch {
		case s.Size == 0 || s.Exec:
		case name == "preinit_array":
			lists = append(lists, list{s, -1})
		case name == "init_array":
			lists = append(lists, list{s, order})
		case name == "fini_array" || name == "ctors" || name == "dtors":
			for _, f := range p.listed(s) {
				if f == nil || !slices.Contains(startup, f.Name) {
					diags.Errorf(codeStart, source.At(source.Pos{File: s.File}), "functions in the section %s are not supported", s.Name).Note("constructors are, and functions that atexit registers")
					return false
				}
			}
		}
	}
	slices.SortStableFunc(lists, func(a, b list) int { return cmp.Compare(a.order, b.order) })
	for _, l := range lists {
		for _, sym := range p.listed(l.sec) {
			switch {
			case sym == nil:
				diags.Errorf(codeStart, source.At(source.Pos{File: l.sec.File}), "a word of the section %s is no function", l.sec.Name)
				return false
			case !slices.Contains(startup, sym.Name):
				p.first = append(p.first, p.find(sym))
			}
		}
	}
	return true
}

// listed returns the functions of a section of addresses; nil stands for what is none.
func (p *program) listed(sec *object.Section) []*object.Symbol {
	var out []*object.Symbol
	for at := uint64(0); at+8 <= sec.Size && sec.Data != nil; at += 8 {
		v := binary.LittleEndian.Uint64(sec.Data[at:])
		if r := sec.RelocAt(at); r != nil {
			v = uint64(r.Addend)
			if r.Sym != nil && r.Sym.Sec != nil {
				v += r.Sym.Addr()
			}
		} else if v == 0 || v == ^uint64(0) { // the ends of old lists
			continue
		}
		out = append(out, p.functionAt(v))
	}
	return out
}

// madeUpMain returns the text of a main that starts the functions that the user has named, and what its lines do, in
// words.
func (p *program) madeUpMain() (text, words []string) {
	put := func(line, word string) { text, words = append(text, line), append(words, word) }
	call := func(f *function) string {
		return f.cName() + "(" + strings.TrimSuffix(strings.Repeat("0, ", f.arity()), ", ") + ");"
	}
	put("int main(void) {", "main")
	for _, f := range p.first {
		put(call(f), "call "+f.sym.Name)
	}
	put(fmt.Sprintf("pthread_t t[%d];", len(p.threads)), "the threads")
	for i, t := range p.threads {
		put(fmt.Sprintf("pthread_create(&t[%d], 0, (void *(*)(void *))%s, (void *)%dL);", i, t.f.cName(), t.arg), fmt.Sprintf("start %s(%d)", t.f.sym.Name, t.arg))
	}
	for i, t := range p.threads {
		put(fmt.Sprintf("pthread_join(t[%d], 0);", i), "wait for "+t.f.sym.Name)
	}
	if p.last != nil {
		put(call(p.last), "call "+p.last.sym.Name)
	}
	put("return 0; }", "return")
	return text, words
}

// checkEntries refuses functions that take more than a thread gets.
func (p *program) checkEntries(diags *diag.List, at source.Span) {
	for _, t := range p.threads {
		if t.f.arity() > 1 {
			diags.Errorf(codeMain, at, "%s takes %d parameters; a function of --entry takes at most one", t.f.sym.Name, t.f.arity())
		}
	}
	if p.last != nil && len(p.last.params) > 1 {
		diags.Errorf(codeMain, at, "%s takes %d parameters; the function of --finally takes none", p.last.sym.Name, len(p.last.params))
	}
}

// callFirst makes the calls of the functions that run before main.
func (e *emitter) callFirst() {
	for _, f := range e.p.first {
		op := ir.NewOp(ir.Call)
		op.Call.Func = f.fb.ID
		n := len(f.params)
		if e.p.inC(f) {
			n = f.arity()
		}
		for range n {
			op.Call.Args = append(op.Call.Args, ir.Int(0))
		}
		e.add(op)
	}
}
