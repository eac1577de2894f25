package lin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/frontend/c"
	"fencepost/internal/lazyregexp"
	"fencepost/internal/question/harness"
)

// Operations: which functions of a file are the operations of one object?
//
// Most files have one struct that their functions share through a pointer. These functions are the operations, except
// those whose names say that they begin or end the life of the object. Without such a struct, all functions
// work on the globals of the file. Comments and options of the user come before names.

// ArgKind says what the argument for a parameter is. The zero value is unset.
type ArgKind uint8

// The kinds.
const (
	_         ArgKind = iota
	ObjectArg         // the object, as a pointer
	ValueArg          // a number that no other call has
	KeyArg            // every number from Low to High
	FixedArg          // the number Low
	BlockArg          // a pointer to a block that no other call has
	OutArg            // a pointer to a variable that the call sets
)

// Param is a parameter of an operation.
type Param struct {
	Name      string
	Kind      ArgKind
	Type      string // of the number, the block or the variable
	Low, High int
	Flexible  bool     // the block ends with an array without a length
	Members   []string // of a struct for a result, which all count
}

// Operation is a function that clients call.
type Operation struct {
	Name    string
	Params  []Param
	Result  string // its type; "void": none
	Role    string // of the thread that makes all calls; "": any thread
	MayFail *int64 // the result with which the call may fail although it need not; nil: none
	Ends    *Operation
	phase   harness.Phase
	ended   bool           // it ends what another operation begins
	begin   *Operation     // that operation
	handed  map[int]handed // of an operation that ends another one, by parameter
	state   bool           // it uses variables of its thread
}

// slots returns how many numbers a call returns.
func (o *Operation) slots() int {
	n := 0
	if o.Result != "void" {
		n++
	}
	for i := range o.Params {
		if o.Params[i].Kind == OutArg {
			n += max(len(o.Params[i].Members), 1)
		}
	}
	return n
}

// pointer reports whether a type is one of pointers.
func pointer(typ string) bool { return strings.HasSuffix(typ, "*") }

// Object is a data structure with its operations.
type Object struct {
	Type    string // "": the globals of the file
	Opaque  bool   // Type is one of pointers, which functions of the library make
	Made    bool   // Init returns a pointer to it
	Init    *Operation
	Destroy *Operation
	Ops     []*Operation
	Notes   []string // functions that are left out, and why
}

// finder finds the object of a file.
type finder struct {
	file       string
	signatures []c.Signature
	notes      map[string][]note // by function
	ops        []string          // that the user named; empty: all
	said       map[string]note   // about these
	init       string
	destroy    string
	hidden     func(*c.Signature) bool
	number     string // the type of the object, if it is a number; "": it is none
}

// find returns the object, or what is missing.
func (f *finder) find() (*Object, error) {
	byName := map[string]*c.Signature{}
	for i := range f.signatures {
		byName[f.signatures[i].Name] = &f.signatures[i]
	}
	for _, name := range append(slices.Clone(f.ops), f.init, f.destroy) {
		if name != "" && byName[name] == nil {
			return nil, fmt.Errorf("the file has no function %s", name)
		}
	}
	marked := f.marked()
	o := &Object{Type: f.sharedType(marked)}
	for i := range f.signatures {
		for _, p := range f.signatures[i].Params {
			o.Opaque = o.Opaque || p.Kind == c.OpaqueParam && p.Type == o.Type
		}
	}
	for i := range f.signatures {
		s := &f.signatures[i]
		if err := f.sort(o, s, marked); err != nil {
			return nil, err
		}
	}
	if len(o.Ops) == 0 {
		return nil, fmt.Errorf("%s", strings.Join(append([]string{"no operations were found"}, o.Notes...), "; "))
	}
	f.others(o)
	if err := f.ranges(o); err != nil {
		return nil, err
	}
	for _, op := range o.Ops {
		for _, end := range o.Ops {
			if op.Ends == nil && !end.ended && op.begin == nil && harness.Begins(op.Name, end.Name) {
				pair(op, end)
			}
		}
	}
	if len(marked) == 0 {
		rolesByName(f.file, o)
	}
	if o.Opaque && !o.Made {
		return nil, fmt.Errorf("no function makes an object of type %s: name one with --init", o.Type)
	}
	return o, nil
}

// others says which functions work on another struct than the object, and could be operations.
func (f *finder) others(o *Object) {
	if len(f.marked()) > 0 || o.Type == "" {
		return
	}
	var types []string
	names := map[string][]string{}
	for i := range f.signatures {
		s := &f.signatures[i]
		if len(s.Params) == 0 || f.hidden(s) || s.Name == f.init || s.Name == f.destroy {
			continue
		}
		typ, is := objectType(&s.Params[0])
		about := slices.ContainsFunc(s.Params, func(p c.Parameter) bool { t, is := objectType(&p); return is && t == o.Type })
		if !is || about {
			continue
		}
		if names[typ] == nil {
			types = append(types, typ)
		}
		names[typ] = append(names[typ], s.Name)
	}
	for _, typ := range types {
		o.Notes = append(o.Notes, fmt.Sprintf("not asked about: %s, on %s; --ops names them", strings.Join(names[typ], ", "), strings.TrimSuffix(typ, " *")))
	}
}

// marked returns the functions that the user says are operations: options before comments.
func (f *finder) marked() []string {
	if len(f.ops) > 0 {
		return f.ops
	}
	var out []string
	for i := range f.signatures {
		if slices.ContainsFunc(f.notes[f.signatures[i].Name], func(n note) bool { return n.op }) {
			out = append(out, f.signatures[i].Name)
		}
	}
	return out
}

// sharedType returns the type of the parameter that most functions share, or "".
func (f *finder) sharedType(marked []string) string {
	count, best, functions := map[string]int{}, "", 0
	for i := range f.signatures {
		s := &f.signatures[i]
		if len(marked) > 0 && !slices.Contains(marked, s.Name) || s.Name == "main" {
			continue
		}
		functions++
		seen := map[string]bool{}
		for _, p := range s.Params {
			if t, ok := objectType(&p); ok && !seen[t] {
				seen[t] = true
				if count[t]++; count[t] > count[best] {
					best = t
				}
			}
		}
	}
	if best == "" || count[best] == 1 && functions > 1 { // one function takes such a struct, as push of a node
		return f.sharedNumber(marked)
	}
	return best
}

// sharedNumber returns the type of numbers that the first parameter of all functions points to, as of a lock that is an int, or "".
func (f *finder) sharedNumber(marked []string) string {
	typ, functions := "", 0
	for i := range f.signatures {
		s := &f.signatures[i]
		if len(marked) > 0 && !slices.Contains(marked, s.Name) && s.Name != f.init || s.Name == "main" || f.hidden(s) {
			continue
		}
		if len(s.Params) == 0 || s.Params[0].Kind != c.ObjectParam || s.Params[0].Shared || typ != "" && s.Params[0].Type != typ || pointer(s.Params[0].Type) {
			return ""
		}
		typ = s.Params[0].Type
		functions++
	}
	if functions < 2 {
		return ""
	}
	f.number = typ
	return typ
}

// objectOf returns the type of the object that a parameter points to, as objectType, and also if it is a number.
func (f *finder) objectOf(s *c.Signature, i int) (string, bool) {
	if p := &s.Params[i]; f.number != "" && i == 0 && p.Kind == c.ObjectParam && p.Type == f.number {
		return f.number, true
	}
	return objectType(&s.Params[i])
}

// objectType returns the type of the object that a parameter points to, with a star if only functions of the library make it.
func objectType(p *c.Parameter) (string, bool) {
	return p.Type, p.Kind == c.ObjectParam && p.Shared || p.Kind == c.OpaqueParam
}

// sort decides what a function does: it begins or ends the life of the object, is an operation, or is left out.
func (f *finder) sort(o *Object, s *c.Signature, marked []string) error {
	phase := harness.PhaseOf(s.Name)
	shares := false
	for i := range s.Params {
		t, ok := f.objectOf(s, i)
		shares = shares || ok && t == o.Type
	}
	makes := o.Type != "" && (o.Opaque && s.Result == o.Type || !o.Opaque && s.Result == o.Type+" *")
	about := o.Type == "" || shares || makes
	named := slices.Contains(marked, s.Name)
	switch {
	case s.Name == f.init, f.init == "" && !named && (phase == harness.Prepares && about || makes && !shares) && o.Init == nil && !strings.HasPrefix(s.Name, "_"):
		op, err := f.operation(o, s, true)
		if err != nil {
			return err
		}
		o.Init, o.Made = op, makes && !shares
	case s.Name == f.destroy, f.destroy == "" && !named && phase == harness.Ends && about && len(s.Params) <= 1 && s.Result != "_Bool" && o.Destroy == nil && !f.hidden(s):
		op, err := f.operation(o, s, true)
		if err != nil {
			return err
		}
		o.Destroy = op
	case named, len(marked) == 0 && about && (o.Type == "" || shares) && !f.hidden(s) && s.Name != "main":
		op, err := f.operation(o, s, false)
		if comment := (*noteError)(nil); err != nil && (named || errors.As(err, &comment)) {
			return err
		}
		if err != nil {
			o.Notes = append(o.Notes, fmt.Sprintf("%s is no operation: %v", s.Name, err))
			return nil
		}
		o.Ops = append(o.Ops, op)
	}
	return nil
}

// operation says how a function is called. fixed is for functions that begin or end the life of the object.
func (f *finder) operation(o *Object, s *c.Signature, fixed bool) (*Operation, error) {
	op := &Operation{Name: s.Name, Result: s.Result, phase: harness.PhaseOf(s.Name), state: s.ThreadState}
	if strings.HasPrefix(s.Result, "struct ") && !pointer(s.Result) || strings.HasPrefix(s.Result, "union ") && !pointer(s.Result) {
		return nil, fmt.Errorf("it returns a %s", s.Result)
	}
	if floating(s.Result) {
		return nil, fmt.Errorf("it returns a %s", s.Result)
	}
	for i, p := range s.Params {
		one := Param{Name: p.Name, Type: p.Type, Flexible: p.Flexible}
		t, is := f.objectOf(s, i)
		switch {
		case is && t == o.Type:
			one.Kind = ObjectArg
		case p.Kind == c.NumberParam && fixed:
			one.Kind, one.Low = FixedArg, capacity
		case p.Kind == c.NumberParam:
			one.Kind = ValueArg
		case p.Kind == c.AnyParam:
			one.Kind, one.Type = BlockArg, "void"
		case p.Kind == c.ObjectParam && p.Shared && !fixed && forResult(op, &p):
			one.Kind, one.Members = OutArg, p.Members
		case p.Kind == c.ObjectParam && p.Shared:
			one.Kind = BlockArg
		case p.Kind == c.ObjectParam && !floating(p.Type):
			one.Kind = OutArg
		default:
			return nil, fmt.Errorf("there is no argument for its parameter %d", i+1)
		}
		op.Params = append(op.Params, one)
	}
	notes := slices.Clone(f.notes[s.Name])
	if n, ok := f.said[s.Name]; ok && !fixed {
		notes = append(notes, n)
	}
	for _, n := range notes {
		if err := n.apply(op); err != nil {
			return nil, err
		}
	}
	return op, nil
}

// outNames matches names of parameters for results.
var outNames = lazyregexp.New(`(?i)^(out|result|res|ret|dst|dest|snapshot|snap|copy|into)(_|$)|_out$`)

// forResult reports whether a parameter that points to a struct is for a result: it has integers only, and the name of the parameter
// says so or that of the function, which takes something.
func forResult(op *Operation, p *c.Parameter) bool {
	return p.Members != nil && !p.Const && (outNames.MatchString(p.Name) || op.phase == harness.Takes || finds.MatchString(snake(op.Name)))
}

// floating reports whether a type is one of floating-point numbers, which results as numbers would round.
func floating(typ string) bool {
	return strings.HasSuffix(typ, "float") || strings.HasSuffix(typ, "double")
}

// capacity is the argument for numbers of functions that make the object: most are a size.
const capacity = 4

// ranges lets operations that look for a value have the same arguments as the operations that put it there: of sets and maps, the
// first number is a key.
func (f *finder) ranges(o *Object) error {
	first := func(op *Operation) *Param {
		for i := range op.Params {
			if op.Params[i].Kind == ValueArg {
				return &op.Params[i]
			}
		}
		return nil
	}
	keyed := slices.ContainsFunc(o.Ops, func(op *Operation) bool {
		return first(op) != nil && (op.phase == harness.Takes || finds.MatchString(op.Name))
	})
	for _, op := range o.Ops {
		if p := first(op); keyed && p != nil {
			p.Kind, p.Low, p.High = KeyArg, 1, 2
		}
	}
	return nil
}
