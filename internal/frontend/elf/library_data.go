package elf

import (
	"encoding/binary"
	"strings"

	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// Variables of libraries: what they hold when main begins. An object refers to them by name; a dynamic executable has
// room for them, into which the loader copies their values; a static one has them, but the start-up code sets some.
// An access to one whose value is not known is not supported.

// libraryVar is a variable of a library.
type libraryVar struct {
	name   string
	size   int
	value  uint64
	points bool // it points to something that is not known
	fixed  bool // nothing writes to it
	start  bool // a static executable has another value before main begins
	thread bool // each thread has one
}

// rustStackSize has the size of the stacks of threads of Rust, and 1; 0 until it is known.
const rustStackSize = "std::thread::lifecycle::spawn_unchecked::MIN"

// Thread-local variables of channels: what a thread waits with, empty at first, and one whose address stands for the
// thread.
const (
	rustContext = "std::sync::mpmc::context::Context::with::CONTEXT"
	rustDummy   = "std::sync::mpmc::waker::current_thread_id::DUMMY"
)

// rustKeys has the keys with which the HashMaps of a thread hash, and whether they are made already; 0 until then.
const rustKeys = "std::hash::random::RandomState::new::KEYS"

// libraryVars are the variables that are known. The streams have the numbers that <stdio.h> gives them in C.
var libraryVars = []libraryVar{
	{name: "stdin", size: 8, value: 1}, {name: "stdout", size: 8, value: 2}, {name: "stderr", size: 8, value: 3},
	{name: "optind", size: 4, value: 1}, {name: "opterr", size: 4, value: 1}, {name: "optopt", size: 4, value: '?'}, {name: "optarg", size: 8},
	{name: "environ __environ _environ", size: 8, points: true, start: true},
	{name: "program_invocation_name __progname_full", size: 8, points: true, start: true},
	{name: "program_invocation_short_name __progname", size: 8, points: true, start: true},
	{name: "timezone __timezone", size: 8}, {name: "daylight __daylight", size: 4},
	{name: "error_message_count", size: 4}, {name: "error_one_per_line", size: 4}, {name: "obstack_exit_failure", size: 4, value: 1},
	{name: "__dso_handle", size: 8, fixed: true},
	// Whether the program has one thread: if not, libstdc++ counts references with atomic operations, as it may always.
	{name: "__libc_single_threaded __libc_single_threaded_internal", size: 1, fixed: true},
	// The virtual functions of the base class of what std::thread runs, which nothing calls, and an empty class.
	{name: "_ZTVNSt6thread6_StateE", size: 40, fixed: true}, {name: "_ZSt7nothrow", size: 1, fixed: true},
	{name: "std::panicking::panic_count::GLOBAL_PANIC_COUNT", size: 8}, // panics end the program
	{name: onceCallable, size: 8, thread: true},
	{name: onceCall, size: 8, thread: true},
	{name: rustStackSize, size: 8, value: 2<<20 + 1},
	{name: rustContext, size: 16, thread: true},
	{name: rustDummy, size: 8, thread: true},
	{name: rustKeys, size: 24, thread: true},
}

// libraryVariable returns the variable of a library that has a name, nil if it is not known.
func libraryVariable(name string) *libraryVar {
	name, _, _ = strings.Cut(name, "@") // the version
	if strings.HasSuffix(name, "9lifecycle15spawn_unchecked03MIN") {
		name = rustStackSize
	}
	if strings.HasSuffix(name, "___RUST_STD_INTERNAL_VAL") && strings.Contains(name, "4sync4mpmc") {
		switch {
		case strings.Contains(name, "7context") && strings.Contains(name, "7CONTEXT"):
			name = rustContext
		case strings.Contains(name, "5waker17current_thread_id5DUMMY"):
			name = rustDummy
		}
	}
	if strings.Contains(name, "11RandomState3new4KEYS") {
		name = rustKeys
	}
	if strings.HasPrefix(name, "_ZN3std") || strings.HasPrefix(name, "_R") {
		name = shortName(name)
	}
	for i := range libraryVars {
		for _, n := range strings.Fields(libraryVars[i].name) {
			if n == name {
				return &libraryVars[i]
			}
		}
	}
	return nil
}

// bytes returns the value of a variable.
func (p *program) bytes(v *libraryVar) []byte {
	name, _, _ := strings.Cut(v.name, " ")
	out := make([]byte, max(8, v.size))
	value := v.value
	if v.points {
		value = uint64(p.outsideAddress(codeExtern, "what "+name+" points to is not known", 0).Value)
	}
	binary.LittleEndian.PutUint64(out, value)
	return out[:v.size]
}

// libraryData returns the address of a variable that no file has.
func (p *program) libraryData(v *libraryVar) *ir.Expr {
	name, _, _ := strings.Cut(v.name, " ")
	e := p.outside(name, p.bytes(v))
	p.data[e.Obj].sec.Write, p.data[e.Obj].sec.TLS = !v.fixed, v.thread
	return e
}

// outside returns the address of a constant that no file has.
func (p *program) outside(name string, content []byte) *ir.Expr {
	for _, d := range p.data {
		if d.name == name && d.sec.File == "" {
			return ir.Addr(ir.ObjectID(d.index), 0)
		}
	}
	d := &datum{sec: &object.Section{Name: name, Size: uint64(len(content)), Data: content, Align: 8}, size: uint64(len(content)), name: name}
	return ir.Addr(ir.ObjectID(p.use(d)), 0)
}

// copies returns the variables of libraries in a piece of data whose values the file does not have.
func (p *program) copies(d *datum) []*object.Symbol {
	var out []*object.Symbol
	for _, s := range p.image.SymbolsIn(d.sec) {
		if s.Off < d.off || s.Off+s.Size > d.off+d.size {
			continue
		}
		v := libraryVariable(s.Name)
		if s.Copied || p.image.Static && d.sec.Linked && s.Kind == object.Data && v != nil && v.start {
			out = append(out, s)
		}
	}
	return out
}

// startValues gives the variables of libraries in a piece of data the values that they have when main begins.
func (p *program) startValues(d *datum) {
	for _, s := range p.copies(d) {
		if v := libraryVariable(s.Name); v != nil && uint64(v.size) <= s.Size {
			copy(d.bytes[s.Off-d.off:], p.bytes(v))
		}
	}
}

// unknownCopies returns the addresses of variables of libraries whose values are not known.
func (p *program) unknownCopies(out *ir.Program) [][]stretch {
	var list [][]stretch
	for _, d := range p.data {
		for _, s := range p.copies(d) {
			if v := libraryVariable(s.Name); v == nil || uint64(v.size) > s.Size {
				name, _, _ := strings.Cut(s.Name, "@")
				low := out.Objects[d.obj].Addr + s.Off - d.off
				why := shortName(name) + " is a variable of a dynamic library, whose value is not known"
				list = append(list, []stretch{{low: low, high: low + max(1, s.Size), code: codeExtern, why: why, obj: d.obj}})
			}
		}
	}
	return list
}
