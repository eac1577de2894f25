package harness

import (
	"fmt"
	"path"
	"strings"

	"fencepost/internal/lazyregexp"
)

// Function is a function of the library.
type Function struct {
	Name   string
	Result string // its type as text; "void": none
	Params []Param
}

// Kind tells parameters apart by what an argument can be.
type Kind uint8

// The kinds. The zero value is unset.
const (
	_        Kind = iota
	Number        // a number
	Object        // a pointer to an object of type Type
	Opaque        // a pointer of type Type that functions of the library make
	Any           // a pointer to void
	Callback      // a pointer to a function
	Struct        // a struct of type Type
)

// Param is a parameter of a function.
type Param struct {
	Name   string // "" if it has none
	Kind   Kind
	Type   string
	Shared bool // an Object that the functions share
}

// Library has the functions to be tested.
type Library struct {
	Include   string // the file, as the test includes it
	Functions []Function
}

// Phase is the part of the test in which a function is called.
type Phase uint8

// The phases. The zero value is unset.
const (
	_        Phase = iota
	Prepares       // before the threads
	Puts           // by the first thread
	Takes          // by the second thread
	Works          // by both
	Ends           // after the threads
)

// Words in names of functions, and the phase that they tell. The first match counts.
var phases = []struct {
	phase Phase
	words *lazyregexp.Regexp
}{
	{Ends, words("destroy|deinit|fini|finish|free|delete|release_all|cleanup|close|term|teardown")},
	{Prepares, words("init|initialize|create|new|make|alloc|setup|open")},
	{Works, words("lock|unlock|trylock|acquire|release|enter|leave|exit|wait|signal")},
	{Puts, words("push|put|enqueue|enq|insert|write|send|produce|publish|store|set|add|offer")},
	{Takes, words("pop|get|take|dequeue|deq|remove|read|receive|recv|consume|load|steal|peek|poll")},
}

// tries matches names of functions that may do nothing.
var tries = words("try|trylock|tryacquire|trypush|trypop")

// words matches names that have one of the words as a part.
func words(list string) *lazyregexp.Regexp {
	return lazyregexp.New(`(^|_)(` + list + `)(_|\d|$)|[a-z](` + title(list) + `)([A-Z_\d]|$)`)
}

// title writes each word of a list with a capital, as names such as queuePush have them.
func title(list string) string {
	parts := strings.Split(list, "|")
	for i, w := range parts {
		parts[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(parts, "|")
}

// PhaseOf returns the phase that the name of a function tells.
func PhaseOf(name string) Phase {
	for _, p := range phases {
		if p.words.MatchString(name) {
			return p.phase
		}
	}
	return Works
}

// Write returns the text of the test. name is the file that it will be in.
func Write(lib Library, name string) string {
	w := &writer{lib: lib, shared: map[string]string{}, used: map[string]bool{}}
	for _, f := range lib.Functions {
		w.used[f.Name] = true
	}
	body := w.program()
	var b strings.Builder
	fmt.Fprintf(&b, "// A first test of %s: two threads call its functions at the same time.\n", path.Base(lib.Include))
	b.WriteString("// Remove calls that make no sense together, say what must hold, and ask:\n")
	for _, command := range []string{"check", "robust", "fences"} {
		fmt.Fprintf(&b, "//   fencepost %s %s\n", command, name)
	}
	fmt.Fprintf(&b, "#include <assert.h>\n#include <pthread.h>\n#include %q\n\n", lib.Include)
	if len(w.objects) > 0 {
		b.WriteString("// The threads share these.\n" + strings.Join(w.objects, "") + "\n")
	}
	b.WriteString(body)
	return b.String()
}

// writer collects the parts of a test.
type writer struct {
	lib     Library
	shared  map[string]string // by type: the name of the object that the threads share
	objects []string          // their declarations
	used    map[string]bool   // names
}

// program writes the threads and main.
func (w *writer) program() string {
	var b strings.Builder
	before := w.calls(Prepares, 0)
	for i, name := range []string{"first", "second"} {
		part := []Phase{Puts, Takes}[i]
		fmt.Fprintf(&b, "static void *%s(void *arg) {\n%s  // assert(...);\n  return 0;\n}\n\n", name, w.calls(part, i)+w.calls(Works, i))
	}
	b.WriteString("int main(void) {\n  pthread_t a, b;\n" + before)
	b.WriteString("  pthread_create(&a, 0, first, 0);\n  pthread_create(&b, 0, second, 0);\n  pthread_join(a, 0);\n  pthread_join(b, 0);\n")
	b.WriteString("  // assert(...);\n" + w.calls(Ends, 0) + "  return 0;\n}\n")
	return b.String()
}

// calls writes the calls of the functions of a phase by a thread, in the order of the library.
func (w *writer) calls(p Phase, thread int) string {
	var b strings.Builder
	called := map[string]bool{}
	for i := range w.lib.Functions {
		f := &w.lib.Functions[i]
		if PhaseOf(f.Name) != p || called[f.Name] || w.ended(f) {
			continue
		}
		called[f.Name] = true
		b.WriteString(w.call(f, p, thread))
		if end := w.partner(f); end != nil {
			called[end.Name] = true
			b.WriteString(w.call(end, p, thread))
		}
	}
	return b.String()
}

// opposites are words of functions that belong together: a call of the one comes before a call of
// the other.
var opposites = [][2]string{{"lock", "unlock"}, {"acquire", "release"}, {"enter", "leave"}, {"enter", "exit"}, {"begin", "end"}, {"start", "stop"}, {"open", "close"}}

// partner returns the function that ends what a function begins, or nil.
func (w *writer) partner(f *Function) *Function {
	for i := range w.lib.Functions {
		if Begins(f.Name, w.lib.Functions[i].Name) {
			return &w.lib.Functions[i]
		}
	}
	return nil
}

// Begins reports whether one function begins what another ends, as lock and unlock, by their names.
func Begins(name, end string) bool {
	for _, o := range opposites {
		for _, of := range []string{"", "r", "w", "rd", "wr"} { // rlock and runlock
			if end != name && replaced(name, of+o[0], of+o[1]) == end {
				return true
			}
		}
	}
	for part := range strings.SplitSeq(name, "_") { // latch and unlatch, register and unregister
		if len(part) > 2 && replaced(name, part, "un"+part) == end {
			return true
		}
	}
	return false
}

// ended reports whether a function ends what another function of the library begins.
func (w *writer) ended(f *Function) bool {
	for i := range w.lib.Functions {
		if p := w.partner(&w.lib.Functions[i]); p != nil && p.Name == f.Name {
			return true
		}
	}
	return false
}

// replaced returns a name with its last part of the given text replaced; a part begins at the
// beginning of the name or after an underscore.
func replaced(name, part, by string) string {
	parts := strings.Split(name, "_")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == part {
			parts[i] = by
			return strings.Join(parts, "_")
		}
	}
	return name
}

// call writes a call, in a block of its own if its arguments need variables.
func (w *writer) call(f *Function, p Phase, thread int) string {
	var locals, args []string
	for i, param := range f.Params {
		declared, arg := w.argument(&param, i, thread)
		if declared != "" {
			locals = append(locals, declared)
		}
		args = append(args, arg)
	}
	call := fmt.Sprintf("%s(%s);", f.Name, strings.Join(args, ", "))
	if tries.MatchString(f.Name) { // what follows depends on the result
		return "  // " + call + "\n"
	}
	if p == Prepares && strings.HasSuffix(f.Result, "*") {
		call = w.share(f.Result, "") + " = " + call
	}
	if len(locals) == 0 {
		return "  " + call + "\n"
	}
	return fmt.Sprintf("  {\n    %s\n    %s\n  }\n", strings.Join(locals, "\n    "), call)
}

// argument returns an argument for a parameter, and the declaration of a variable that it needs.
func (w *writer) argument(p *Param, i, thread int) (local, arg string) {
	name := p.Name
	if name == "" {
		name = fmt.Sprintf("argument%d", i+1)
	}
	switch {
	case p.Kind == Number:
		return "", fmt.Sprint(thread)
	case p.Kind == Object && p.Shared:
		return "", "&" + w.share(p.Type, "")
	case p.Kind == Object && strings.HasSuffix(p.Type, "*"):
		return fmt.Sprintf("%s%s = 0;", p.Type, name), "&" + name
	case p.Kind == Object:
		return fmt.Sprintf("%s %s = %d;", p.Type, name, thread), "&" + name
	case p.Kind == Opaque:
		return "", w.share(p.Type, "")
	case p.Kind == Any:
		return "", "&" + w.share("int", "value")
	case p.Kind == Struct:
		return "", fmt.Sprintf("(%s){0}", p.Type)
	default:
		return "", "0"
	}
}

var notInNames = lazyregexp.New(`[^A-Za-z0-9_]+`)

// share returns the name of the object of a type that the threads share, and declares it. A
// pointer is an object, too.
func (w *writer) share(typ, name string) string {
	if known, ok := w.shared[typ]; ok {
		return known
	}
	if name == "" {
		words := strings.Fields(notInNames.ReplaceAllString(typ, " "))
		name = strings.TrimSuffix(words[len(words)-1], "_t")
	}
	try := "shared_" + name
	for n := 2; w.used[try]; n++ {
		try = fmt.Sprintf("shared_%s%d", name, n)
	}
	w.used[try], w.shared[typ] = true, try
	space := " "
	if strings.HasSuffix(typ, "*") {
		space = ""
	}
	w.objects = append(w.objects, fmt.Sprintf("static %s%s%s;\n", typ, space, try))
	return try
}
