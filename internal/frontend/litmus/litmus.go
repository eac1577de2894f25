package litmus

import (
	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// Options are the options of the user.
type Options struct {
	C COptions // for tests in C
}

// KeyValue is a line Key=value between the header and the initial state.
type KeyValue struct{ Key, Value string }

// Unit is a translated test.
type Unit struct {
	Program *ir.Program // nil if there were errors
	// Props has the final condition, which already takes the filter into account,
	// and what to observe: first all variables of Shown, then the variables that
	// only the filter mentions.
	Props *property.Set

	Name string
	Arch string
	Doc  string
	Meta []KeyValue // in order

	// Quantifier is Exists for exists, Never for ~exists, Forall for forall.
	Quantifier property.Quantifier
	// Condition is the condition as herd prints it, such as
	// "exists (0:rax=0 /\ 1:rax=0)".
	Condition string
	// Cond is the proposition alone, and Filter that of the filter or nil: final
	// states that do not satisfy it do not count.
	Cond   *property.Cond
	Filter *property.Cond
	// Shown lists the parts of a line of a final state, in herd's order.
	Shown []Item

	// Sites are the fence sites into a test in C, in the order of the text;
	// only if asked for. Write says how the file changes for some of them.
	Sites []ir.FenceSite
	Write func([]ir.FenceAt, FenceStyle) []source.Edit
	// Included are the files of the library that a test in C took in.
	Included []*source.File

	// Kernel: a test in C with words of the Linux kernel and none of C11.
	Kernel bool

	condAt, filterAt []int // of each variable, its index in Props.Observe
	symbols          []symbol
	addresses        bool // values may be addresses
	compiled         *compiler
}

// Item is one thing a line of a final state shows: a register, a location, or a
// whole array.
type Item struct {
	Name  string
	Vars  []int // indices into Props.Observe
	Array bool
}

// symbol is where a location lies.
type symbol struct {
	name string
	addr uint64
	size int64
}

// Hash is the value of the line Hash=, "" if there is none.
func (u *Unit) Hash() string {
	for _, kv := range u.Meta {
		if kv.Key == "Hash" {
			return kv.Value
		}
	}
	return ""
}

// Kind is herd's word for the quantifier, which stands after the test's name.
func (u *Unit) Kind() string {
	switch u.Quantifier {
	case property.Exists:
		return "Allowed"
	case property.Never:
		return "Forbidden"
	case property.Forall:
		return "Required"
	default:
		panic("BUG: a test without a quantifier")
	}
}

// Parse translates a file. The unit is never nil; its Program is nil exactly if
// the list has errors.
func Parse(f *source.File, opt Options) (*Unit, *diag.List) {
	diags := &diag.List{}
	u := &Unit{}
	p := &parser{lexer: lexer{file: f, text: f.Text, diags: diags}, unit: u}
	// What syntax errors hid would be reported as missing: stop there.
	if p.parseFile() {
		c := &compiler{file: f, opt: opt, diags: diags, arch: p.arch, tree: &p.tree, cPart: cPart{code: &p.code}, unit: u}
		c.compile()
		u.compiled = c
	}
	diags.Sort()
	if diags.HasErrors() {
		u.compiled = nil
		u.Program, u.Props, u.Cond, u.Filter, u.Shown = nil, nil, nil, nil, nil
	}
	return u, diags
}

// localKey names a variable of a thread in C.
type localKey struct {
	thread int // index of the column
	name   string
}

// regValue is the initial value of a register.
type regValue struct {
	val  value
	part part
}

// compiler turns a tree into a program.
type compiler struct {
	file  *source.File
	opt   Options
	diags *diag.List
	arch  arch
	cPart
	tree *tree
	unit *Unit

	locations map[string]*location
	order     []*location
	escaped   map[string]bool // locations whose address is a value
	indirect  int             // widest access through a register
	threadOf  map[int64]int   // index of a column by the thread's number
	regInit   map[regKey]regValue
	regTypes  map[regKey]ir.Type
	symbols   []symbol

	b       *ir.Builder
	threads []*thread
	checks  bool // an address is computed, so an access can go wrong
}

// cPart belongs to tests in C alone.
type cPart struct {
	code *cCode // of a test in C
	// Of a test in C: the variables the conditions speak of, where they do, and
	// locations that hold more than one value.
	locals   map[localKey]*variable
	localAt  []*ref
	compound []string
	// nativeBase has the addresses of the locations that only a stress program names.
	nativeBase []uint64
}

func (c *compiler) span(at extent) source.Span { return c.file.Span(at.start, at.end) }

func (c *compiler) errorf(code string, at extent, format string, args ...any) *diag.Diagnostic {
	return c.diags.Errorf(code, c.span(at), format, args...)
}

func (c *compiler) compile() {
	c.locations = map[string]*location{}
	c.escaped = map[string]bool{}
	c.threadOf = map[int64]int{}
	c.regInit = map[regKey]regValue{}
	c.regTypes = map[regKey]ir.Type{}
	for i := range c.tree.procs {
		c.threadOf[c.tree.procs[i].num] = i
	}
	if c.arch == archC {
		c.compileC()
		return
	}
	c.declare()
	c.measure()
	c.mentioned()
	c.b = ir.NewBuilder(c.unit.Name, false)
	c.b.StartAt(chooseBase(c.file.Text))
	if !c.layOut() {
		return
	}
	for i := range c.tree.procs {
		c.lower(i)
	}
	c.properties()
	if !c.diags.HasErrors() {
		c.unit.Program = c.b.Finish()
	}
}
