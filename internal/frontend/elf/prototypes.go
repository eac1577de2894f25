package elf

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fencepost/internal/ir"
	"fencepost/internal/lazyregexp"
)

// What functions of libraries take and return, and what a call of one is in C: prototypes.txt has most of them.
// Those of 1, 2, 4 and 8 bytes of libatomic follow a pattern.

//go:embed prototypes.txt
var prototypeText string

// prototype is the type of a function of a library.
type prototype struct {
	name, result string
	params       []string
	fixed        int  // the parameters before ...
	variadic     bool // there are more
	call         string
	throws       bool     // it throws an exception that something may catch
	message      string   // what a call that is an error says; "": that it is never called
	rust         []string // the versions of Rust's library that have it; nil: it is no function of that library
}

// prototypes returns the functions that machine code can call, by name. The table is made when it is first used: other
// programs do not need it.
var prototypes = sync.OnceValue(func() map[string]*prototype {
	out := map[string]*prototype{}
	for text := range strings.Lines(prototypeText + prototypeCpp) {
		if pr := parsePrototype(text); pr != nil {
			out[pr.name] = pr
		}
	}
	return out
})

var prototypeLine = lazyregexp.New(`^(.*?)(\w+)\((.*)\)$`)

// parsePrototype reads a line of prototypes.txt; nil: it is a comment or empty.
func parsePrototype(text string) *prototype {
	decl, call, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(text), ";"), " = ")
	m := prototypeLine.FindStringSubmatch(decl)
	if m == nil || strings.HasPrefix(decl, "//") {
		return nil
	}
	pr := &prototype{name: m[2], result: strings.TrimSpace(m[1]), call: call}
	depth, from := 0, 0
	for i, c := range m[3] + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			switch t := strings.TrimSpace(m[3][from:i]); t {
			case "void":
			case "...":
				pr.variadic = true
			default:
				pr.params = append(pr.params, t)
			}
			from = i + 1
		}
	}
	pr.fixed = len(pr.params)
	return pr
}

// with returns the prototype with a number of arguments for "...".
func (pr *prototype) with(n int) *prototype {
	out := *pr
	out.params = slices.Concat(pr.params, slices.Repeat([]string{"unsigned long"}, n))
	return &out
}

var placeholder = lazyregexp.New(`\$\d| \.\.\.`)

// text returns the call in C.
func (pr *prototype) text(args []string) string {
	if pr.call == "" {
		return fmt.Sprintf("%s(%s)", pr.name, strings.Join(args, ", "))
	}
	return placeholder.ReplaceAllStringFunc(pr.call, func(s string) string {
		if s == " ..." {
			return strings.Join(append([]string{""}, args[pr.fixed:]...), ", ")
		}
		return args[s[1]-'0']
	})
}

// fails reports whether a call is an error of the program.
func (pr *prototype) fails() bool { return pr.call == fails }

// ends reports whether a call ends the program.
func (pr *prototype) ends() bool {
	return pr.fails() || strings.HasPrefix(pr.call, "__assert_fail(") || ends[pr.name]
}

var (
	runtimeName = lazyregexp.New(`\bfp_[a-z]\w*`)
	invokeName  = lazyregexp.New(`\bfp_invoke_\w+`)
	mutexUse    = lazyregexp.New(`pthread_mutex_(try|timed|clock)?lock|mtx_\w*lock|(pthread_cond|cnd)_\w*wait`)
	atomicCall  = lazyregexp.New(`^__(atomic|sync)_(\w+)_([1248])$`)
	arithmetic  = lazyregexp.New(`^(?:fetch_(?:add|sub|and|or|xor|nand)|(?:add|sub|and|or|xor|nand)_fetch)$`)
	syncRMW     = lazyregexp.New(`^(?:fetch_and_(?:add|sub|and|or|xor|nand)|(?:add|sub|and|or|xor|nand)_and_fetch)$`)
)

// atomicFunction returns the prototype of a function of libatomic for 1, 2, 4 or 8 bytes; nil: the name is none.
func atomicFunction(name string) *prototype {
	m := atomicCall.FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	t := map[string]string{"1": "unsigned char", "2": "unsigned short", "4": "unsigned", "8": "unsigned long"}[m[3]]
	form := func(result, params, call string) *prototype {
		return parsePrototype(fmt.Sprintf("%s %s(%s) = %s;", result, name, strings.ReplaceAll(params, "T", t), call))
	}
	switch op := m[2]; {
	case m[1] == "atomic" && op == "load":
		return form(t, "T *, int", "__atomic_load_n($0, $1)")
	case m[1] == "atomic" && op == "store":
		return form("void", "T *, T, int", "__atomic_store_n($0, $1, $2)")
	case m[1] == "atomic" && op == "exchange":
		return form(t, "T *, T, int", "__atomic_exchange_n($0, $1, $2)")
	case m[1] == "atomic" && op == "compare_exchange":
		return form("_Bool", "T *, T *, T, int, int", "__atomic_compare_exchange_n($0, $1, $2, 0, $3, $4)")
	case m[1] == "atomic" && arithmetic.MatchString(op):
		return form(t, "T *, T, int", "__atomic_"+op+"($0, $1, $2)")
	case m[1] == "sync" && syncRMW.MatchString(op):
		return form(t, "T *, T", "__sync_"+op+"($0, $1)")
	case m[1] == "sync" && op == "lock_test_and_set":
		return form(t, "T *, T", "__sync_lock_test_and_set($0, $1)")
	case m[1] == "sync" && op == "lock_release":
		return form("void", "T *", "__sync_lock_release($0)")
	case m[1] == "sync" && op == "bool_compare_and_swap":
		return form("_Bool", "T *, T, T", "__sync_bool_compare_and_swap($0, $1, $2)")
	case m[1] == "sync" && op == "val_compare_and_swap":
		return form(t, "T *, T, T", "__sync_val_compare_and_swap($0, $1, $2)")
	}
	return nil
}

// The system calls of syscall that C programs make, with the number of their arguments that matter.
var systemCalls = map[int64]int{24: 0, 39: 0, 186: 0, 202: 3, 324: 3}

const futexWaits = 4 // with a time, so many arguments

// variadic returns how many arguments a call passes for "...", or why that is not known.
func (p *program) variadic(f *function, in *inst, pr *prototype) (n int, problem string) {
	last := f.constant(in, argumentRegs[pr.fixed-1])
	if pr.name == "syscall" {
		if last == nil || last.Op != ir.Const {
			return 0, "the number of the system call is not a constant before the call"
		}
		n, ok := systemCalls[last.Value]
		if !ok {
			return 0, fmt.Sprintf("system call %d is not supported", last.Value)
		}
		if op := f.constant(in, argumentRegs[2]); n == 3 && last.Value == 202 {
			switch {
			case op == nil || op.Op != ir.Const:
				return 0, "the operation of futex is not a constant before the call"
			case op.Value&127 == 0:
				n = futexWaits
			case op.Value&127 == 9: // FUTEX_WAIT_BITSET
				n = futexWaits + 2
			case op.Value&127 != 1:
				return 0, fmt.Sprintf("operation %d of futex is not supported in machine code", op.Value&127)
			}
		}
		return n, ""
	}
	format, ok := p.text(last)
	if !ok {
		return 0, "the format is not a constant before the call"
	}
	return conversions(format)
}

var conversion = lazyregexp.New(`%[-+ #0']*(\*|\d+)?(?:\.(\*|\d*))?(?:hh|h|ll|l|j|z|t|q|L)?(.?)`)

// conversions returns how many arguments a format takes.
func conversions(format string) (n int, problem string) {
	for _, m := range conversion.FindAllStringSubmatch(format, -1) {
		for _, star := range m[1:3] {
			if star == "*" {
				n++
			}
		}
		switch {
		case m[3] == "%":
		case m[3] != "" && strings.Contains("diouxXcsp", m[3]):
			n++
		default:
			return 0, "the conversion " + strconv.Quote(m[0]) + " is not supported"
		}
	}
	return n, ""
}

// callbackArity returns how many parameters the functions of a parameter's type have, if the library calls them with
// other arguments than one word; -1 otherwise. The functions of the text in C have one parameter or more.
func callbackArity(t string) int {
	switch t {
	case "void (*)(void)":
		return 0
	case "int (*)(const void *, const void *)":
		return 2
	}
	return -1
}

// callback returns an expression for a function that the library calls: a constant one, or the one whose address a
// variable holds.
func (p *program) callback(t, variable string, f *function) string {
	n := callbackArity(t)
	if f != nil {
		p.wrapped[wrapper{f, n}] = true
		return wrapper{f, n}.name()
	}
	var b strings.Builder
	for _, f := range p.funcs {
		if p.taken[f] {
			p.wrapped[wrapper{f, n}] = true
			fmt.Fprintf(&b, "%s == (unsigned long)%s ? %s : ", variable, f.cName(), wrapper{f, n}.name())
		}
	}
	return fmt.Sprintf("(%s(%s)%s)", b.String(), t, variable)
}

// threadStart is the type of a function that a thread begins with.
const threadStart = "void *(*)(void *)"

// threadStart returns an expression for such a function whose address a variable holds. Which functions begin threads is
// not known then: one that seems to have more parameters, because it saves registers, is called with one.
func (p *program) threadStart(variable string) string {
	var b strings.Builder
	for _, f := range p.funcs {
		if p.taken[f] && f.arity() > 1 && !p.onStack(f) {
			p.wrapped[wrapper{f, 1}] = true
			fmt.Fprintf(&b, "%s == (unsigned long)%s ? %s : ", variable, f.cName(), wrapper{f, 1}.name())
		}
	}
	return fmt.Sprintf("(%s(%s)%s)", b.String(), threadStart, variable)
}

// wrapper is a function in C that calls a function of the program with other parameters.
type wrapper struct {
	f *function
	n int
}

func (w wrapper) name() string { return fmt.Sprintf("%s_with_%d", w.f.cName(), w.n) }

// callbacks writes the wrappers.
func (p *program) callbacks(b *strings.Builder) {
	for _, f := range p.funcs {
		for _, n := range []int{0, 1, 2} {
			if !p.wrapped[wrapper{f, n}] {
				continue
			}
			args := slices.Repeat([]string{"0"}, f.arity())
			copy(args, []string{"(void *)a", "(void *)b"}[:n])
			call := fmt.Sprintf("%s(%s)", f.cName(), strings.Join(args, ", "))
			switch n {
			case 0:
				fmt.Fprintf(b, "void %s(void) { %s; }\n", wrapper{f, n}.name(), call)
			case 1:
				fmt.Fprintf(b, "void *%s(void *a) { return %s; }\n", wrapper{f, n}.name(), call)
			default:
				fmt.Fprintf(b, "int %s(const void *a, const void *b) { return (int)(long)%s; }\n", wrapper{f, n}.name(), call)
			}
		}
	}
}
