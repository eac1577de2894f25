package elf

import (
	"fmt"
	"slices"
	"sort"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// program is the machine code under translation. Expressions in instructions name its data and functions
// by index until they are part of an ir program.
// shape: the steps of the translation share these tables, and lift.Resolver is one of them
type program struct {
	image *object.Image
	opt   *request
	funcs []*function
	at    map[uint64]*function // by address
	pointers
	data  []*datum
	known map[*object.Section][]*datum // all data of a section, by offset
	// whole has the sections that are one object, see ambiguous.
	whole   map[*object.Section]bool
	changed bool // whole has grown: the translation begins again

	startUp
	madeText

	unknown []stretch // addresses that the files do not say
	emission
	exceptions
	swept *sweep // all code; nil: not read so far
	edges map[*object.Symbol]bool
	// textMakers is the name of a function that makes a text for println! and may do more; nil: that is not known yet.
	textMakers *string
}

// pointers says which functions can be called through pointers.
type pointers struct {
	taken   map[*function]bool // functions whose address is taken
	externs []string           // functions that are not defined in the files and whose addresses the code has
	// forwards are the functions that stand for these where their addresses are not called at once.
	forwards map[string]*function
	perhaps  map[*function]bool // forwards whose names may be those of variables
	// Of the functions that are called through pointers: how many parameters they take, and what they return beside
	// rax.
	pointerParams  int
	pointerResults regSet
	slots          map[*function][]string // the types of functions whose addresses are taken
}

// emission has the parts of the program that have been made so far.
type emission struct {
	called     map[ir.EdgeID]*ir.Expr // the pointers of calls, by the check that they are functions
	sites      map[siteKey]*fenceSite
	built      bool        // the data have objects
	rdx        ir.ObjectID // holds the second word of a result, of each thread
	args       ir.ObjectID // holds the parameters on the stack of a function whose address is taken, of each thread
	calls      int
	blockReads map[uint64]bool // instructions that read the address of the thread's block
	// wrapped are the functions that the library calls with other parameters than theirs.
	wrapped   map[wrapper]bool
	unaligned int            // how many accesses are at addresses whose alignment is not known
	names     map[string]int // how many functions have the name in answers
}

// startUp says which functions run before, in and after a main that is made up.
type startUp struct {
	first    []*function          // run before main
	byClient map[string]*function // that the client calls, by the names of their symbols
	threads  []thread             // of a main that is made up
	last     *function            // runs after them
}

// madeText has the text of the functions that are made up, and where its lines come from.
type madeText struct {
	// The made-up main: what its lines do, its first line in the text in C, and its lines in the listing.
	mainText []string
	mainLine int
	mainAt   map[int]int
	// The same of what runtime.txt has.
	runtimeText []string
	runtimeLine int
	wordsAt     map[int]int    // the lengths of those lines of the listing
	listing     string         // the name of the listing
	sources     map[int]string // where its lines come from, as file:line:column
	runs        map[int]string // the functions of the source that its lines are in, with their lines
	code        codeLines      // what its lines are made of
}

// function is a function of the program.
type function struct {
	index int
	main  bool // the program begins here
	final bool // it does not return; false as long as that is not known
	sym   *object.Symbol
	insts map[uint64]*inst
	order []*inst // by address
	convention
	starts  bool   // a thread begins with it: it gets one parameter
	problem string // the whole function has no translation
	frame   frame
	fb      *ir.FuncBuilder
	kept    map[*inst]*registers // what constants.go knows
	pads    map[uint64]uint64    // where calls go on that an exception comes out of

	// What alignment.go knows: the words of the stack by their offsets, the registers at the entry, and the result.
	words   map[int64]int
	begins  facts
	result  lowBits
	returns bool
	callers map[*function]bool
}

// convention says what a function takes, changes and returns.
type convention struct {
	params []ir.Reg
	reads  regSet // what it reads of its caller's registers; other parameters a call through a pointer may take
	// variadic: it has variable arguments, and saves those in vector registers if al is not 0.
	variadic bool
	passed   []slot // parameters on the stack, by their offsets from the stack pointer at the entry
	exact    bool   // passed has all of them
	writes   regSet // what it overwrites of the registers that a call may change
	used     bool   // some caller reads rax after it
	results  regSet // registers beside rax that callers read after it
	unset    regSet // registers with undefined values when it begins, as far as it reads them
}

// inst is an instruction of a function.
type inst struct {
	*lift.Inst
	addr    uint64
	refused string // there is no translation
	code    string
	next    []*inst
	pad     *inst // where it goes on if an exception comes out of the call
	starts  bool  // others jump here
	callee  *function
	extern  string // the function of the library that it calls
	stub    *stub
	tail    bool  // a jump that is a call and a return
	pointer bool  // a call through a pointer
	slot    int64 // the offset in a table of the pointer that a call of runtime.txt is through; 0: it is not known
	final   bool  // a call of a function that does not return
	table   *table
	keeps   []*table // tables of which it reads a word
	liveness
	facts  facts // what is known about the registers before it; nil: no execution gets there
	pos    source.Span
	listed string // its text in the listing
}

// liveness says which registers matter after an instruction and before it.
type liveness struct {
	live   regSet // the registers that matter after it
	spoils regSet // registers with undefined values after it
	upper  regSet // those of which more than the lowest byte does
	high   regSet // those of which more than the lowest two bytes do
	maybe  regSet // registers that a later call through a pointer may take
	// The same before it.
	liveBefore, upperBefore, highBefore, maybeBefore regSet
}

func newProgram(image *object.Image, opt *request, whole map[*object.Section]bool) *program {
	return &program{
		image: image, opt: opt, at: map[uint64]*function{}, pointers: pointers{taken: map[*function]bool{}, forwards: map[string]*function{}, perhaps: map[*function]bool{}}, known: map[*object.Section][]*datum{}, whole: whole, emission: emission{names: map[string]int{}, wrapped: map[wrapper]bool{}, blockReads: map[uint64]bool{}, sites: map[siteKey]*fenceSite{}, called: map[ir.EdgeID]*ir.Expr{}}, edges: map[*object.Symbol]bool{}, exceptions: exceptions{outsideNames: map[int64]string{}},
	}
}

// find enters a function, and all functions that it mentions.
func (p *program) find(sym *object.Symbol) *function {
	if f := p.at[sym.Addr()]; f != nil {
		return f
	}
	f := &function{index: len(p.funcs), sym: sym, insts: map[uint64]*inst{}, main: len(p.opt.Entry) == 0 && sym == p.image.Linked["main"]}
	p.funcs = append(p.funcs, f)
	p.at[sym.Addr()] = f
	p.decode(f)
	return f
}

// maxFunction bounds the instructions of a function.
const maxFunction = 100000

// decode finds the instructions of a function by following its jumps.
func (p *program) decode(f *function) {
	todo := []uint64{f.sym.Addr()}
	l := lift.New(p)
	l.NoParity = true
	for len(todo) > 0 && len(f.insts) < maxFunction {
		addr := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if f.insts[addr] != nil {
			continue
		}
		in := &inst{addr: addr}
		f.insts[addr] = in
		l.Alone()
		p.lift(l, in)
		if in.refused != "" {
			continue
		}
		p.resolve(f, in)
		switch in.End {
		case lift.Indirect:
			if in.table != nil {
				todo = append(todo, slices.DeleteFunc(slices.Clone(in.table.targets), func(to uint64) bool { return to == 0 })...)
			}
		case lift.Jump:
			if !in.tail {
				todo = append(todo, in.To.Addr)
			}
		case lift.Branch:
			todo = append(todo, in.To.Addr, in.NextAddr())
		case lift.Next, lift.Call, lift.CallTo, lift.Repeat:
			if pad := f.pads[addr]; pad != 0 {
				todo = append(todo, pad)
			}
			if in.final = endsThere(in.extern) || in.callee != nil && in.callee.final; !in.final {
				todo = append(todo, in.NextAddr())
			}
		}
	}
	for _, in := range f.insts {
		f.order = append(f.order, in)
	}
	sort.Slice(f.order, func(i, j int) bool { return f.order[i].addr < f.order[j].addr })
	p.connect(f)
	f.checkTables()
	p.again(f)
	p.keptCalls(f)
	f.final = !slices.ContainsFunc(f.order, (*inst).leaves)
}

// leaves reports whether a function returns by an instruction. What comes after an instruction without a translation
// is not known, and does not matter: no execution gets there.
func (in *inst) leaves() bool {
	switch {
	case in.refused != "":
		return false
	case in.tail:
		return !endsThere(in.extern) && (in.callee == nil || !in.callee.final)
	}
	return in.End == lift.Ret
}

// lift translates an instruction.
func (p *program) lift(l *lift.Lifter, in *inst) {
	sec := p.image.Find(in.addr)
	if sec == nil || !sec.Exec || sec.Data == nil {
		in.refused, in.code = "the execution leaves the code", codeFlow
		return
	}
	out, err := l.Lift(sec.Data[in.addr-sec.Addr:], in.addr)
	if err != nil {
		in.refused, in.code = err.Error(), codeInstruction
		return
	}
	in.Inst = out
	p.inspectAddresses(in)
}

// resolve finds out what a jump or call leads to.
func (p *program) resolve(f *function, in *inst) {
	refuse := func(format string, args ...any) { in.refused, in.code = fmt.Sprintf(format, args...), codeFlow }
	switch in.End {
	case lift.Indirect, lift.CallTo:
		if in.Cond.Op == ir.FuncAddr { // through a word in a table
			in.tail = in.End == lift.Indirect
			if name := p.externOf(in.Cond); name != "" {
				in.extern = name
			} else {
				in.callee = p.funcs[in.Cond.Func]
			}
			return
		}
		if in.End == lift.Indirect {
			if t := p.findTable(f, in); t != nil {
				t.reg, in.table = ir.NoReg, t
				t.load.keeps = append(t.load.keeps, t)
				return
			}
		}
		in.pointer, in.tail = true, in.End == lift.Indirect
	case lift.Jump, lift.Call:
		if in.To.Name != "" {
			in.extern, in.tail = in.To.Name, in.End == lift.Jump
			return
		}
		sym := p.functionAt(in.To.Addr)
		name := p.libraryName(in.To.Addr)
		switch {
		case name != "":
			in.extern, in.tail = name, in.End == lift.Jump
		case in.End == lift.Call && sym == nil:
			refuse("%s: the target of the call is no function", in.Text)
		case in.End == lift.Call || sym != nil && sym.Addr() != f.sym.Addr() && !isPart(sym.Name):
			in.callee, in.tail = p.find(sym), in.End == lift.Jump
		}
	case lift.Branch:
		if in.To.Name != "" {
			refuse("%s: a conditional jump out of the code is not supported", in.Text)
		}
		if sym := p.functionAt(in.To.Addr); sym != nil && sym.Addr() != f.sym.Addr() && !isPart(sym.Name) {
			refuse("%s: a conditional jump to another function is not supported", in.Text)
		}
	}
}

// connect finds the successors of the instructions, and where blocks begin.
func (p *program) connect(f *function) {
	preds := map[*inst]int{}
	to := func(in *inst, addr uint64, jump bool) {
		if next := f.insts[addr]; next != nil {
			in.next = append(in.next, next)
			preds[next]++
			next.starts = next.starts || jump
		}
	}
	for _, in := range f.order {
		if in.refused != "" || in.tail {
			continue
		}
		if pad := f.insts[f.pads[in.addr]]; pad != nil {
			in.pad, pad.starts = pad, true
		}
		switch in.End {
		case lift.Indirect:
			seen := map[uint64]bool{}
			for _, addr := range in.table.targets {
				if !seen[addr] {
					to(in, addr, true)
				}
				seen[addr] = true
			}
		case lift.Jump:
			to(in, in.To.Addr, true)
		case lift.Branch:
			to(in, in.To.Addr, true)
			to(in, in.NextAddr(), false)
		case lift.Repeat:
			to(in, in.addr, true)
			to(in, in.NextAddr(), true)
		case lift.Next, lift.Call, lift.CallTo:
			if !in.final {
				to(in, in.NextAddr(), in.End != lift.Next)
			}
		}
	}
}

// successors are the instructions that may run after an instruction.
func (in *inst) successors() []*inst {
	if in.pad == nil {
		return in.next
	}
	return append(slices.Clone(in.next), in.pad)
}

// again goes through the instructions in their order, and translates conditions anew that know the comparison before
// them now. Where an instruction reads PF, all are translated with that flag.
func (p *program) again(f *function) {
	l := lift.New(p)
	l.NoParity = !slices.ContainsFunc(f.order, func(in *inst) bool { return in.Inst != nil && in.ReadsParity })
	var before *inst
	for _, in := range f.order {
		if in.starts || before == nil || before.refused != "" || before.NextAddr() != in.addr || in.refused != "" {
			l.NewBlock()
		}
		if in.refused == "" && (!l.NoParity || !l.Pass(in.Inst)) {
			p.lift(l, in)
		}
		before = in
	}
}

// functionAt returns the symbol of the function that begins at an address, nil if none does.
func (p *program) functionAt(addr uint64) *object.Symbol {
	sec := p.image.Find(addr)
	if sec == nil {
		return nil
	}
	s := p.image.At(sec, addr-sec.Addr)
	if s == nil || s.Addr() != addr || s.Kind != object.Function && s.Kind != object.NoKind {
		return nil
	}
	return s
}
