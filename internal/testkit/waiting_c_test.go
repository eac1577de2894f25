package testkit_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/analysis"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/internal/testkit"
	"fencepost/query"
)

// prototype is a function as a header declares it.
type prototype struct {
	header, name string
	params       []string
}

var (
	declares  = regexp.MustCompile(`(?m)^(?:extern )?[A-Za-z_][\w \*]*?[ \*](\w+)\(([^;{]*)\)(?: __attribute__\(\(.*\)\))?;$`)
	qualifier = regexp.MustCompile(`\b(const|volatile|restrict|__restrict|_Atomic)\b`)
	named     = regexp.MustCompile(`^(.*[\w\*]) *\b(\w+)$`)
)

// prototypes returns the functions of the built-in headers that the library has, by name.
func prototypes(t *testing.T) map[string]prototype {
	lib := library.New()
	sources := ""
	for _, f := range lib.Sources {
		sources += string(f.Text)
	}
	root := filepath.Join(testkit.Root(t), "internal", "frontend", "c", "translate", "read", "include")
	out := map[string]prototype{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".h") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		header, _ := filepath.Rel(root, path)
		for _, m := range declares.FindAllStringSubmatch(string(text), -1) {
			_, translated := lib.Functions[m[1]]
			if _, seen := out[m[1]]; seen || !translated && !strings.Contains(sources, m[1]+"(") {
				continue
			}
			out[m[1]] = prototype{header, m[1], splitParams(m[2])}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// splitParams splits parameters at commas outside parentheses.
func splitParams(text string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(text[from:]))
}

// typeWords are last words of types; any other last word of a parameter is its name.
var typeWords = regexp.MustCompile(`^(void|char|short|int|long|float|double|signed|unsigned|size_t|.*_t|FILE|DIR|.*_flag)$`)

// call returns the globals of a program and a call with them. Objects are named arg0, arg1 and so on.
func (f *prototype) call() (globals, call string, types []string) {
	var args []string
	for i, param := range f.params {
		param = strings.Join(strings.Fields(strings.ReplaceAll(qualifier.ReplaceAllString(param, ""), "*", " * ")), " ")
		if m := named.FindStringSubmatch(param); m != nil && !typeWords.MatchString(m[2]) && !strings.HasSuffix(m[1], "struct") {
			param = strings.TrimSpace(m[1])
		}
		object := fmt.Sprintf("arg%d", i)
		base, pointer := strings.CutSuffix(param, "*")
		base = strings.TrimSpace(base)
		switch {
		case param == "void" || param == "...":
			continue
		case strings.Contains(param, "("): // a function
			args = append(args, "run")
			continue
		case !pointer || base == "FILE":
			args = append(args, "0")
			continue
		case base == "void":
			globals += fmt.Sprintf("long %s[8];\n", object)
			args = append(args, object)
		case base == "char":
			globals += fmt.Sprintf("char %s[16];\n", object)
			args = append(args, object)
		default:
			globals += fmt.Sprintf("%s %s;\n", base, object)
			args = append(args, "&"+object)
		}
		for len(types) <= i {
			types = append(types, "")
		}
		types[i] = base
	}
	return globals, f.name + "(" + strings.Join(args, ", ") + ")", types
}

// affected has functions by what they do with an object: their operations depend on it, or store to it without draining.
type affected struct{ waits, stores map[string]bool }

// constructs has constructs of C that no prototype stands for.
var constructs = []struct{ name, globals, call string }{
	{"compare-exchange", "_Atomic int arg0;", "int e = 0; __atomic_compare_exchange_n(&arg0, &e, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)"},
	{"exchange", "_Atomic int arg0;", "__atomic_exchange_n(&arg0, 1, __ATOMIC_SEQ_CST)"},
	{"release store", "_Atomic int arg0;", "__atomic_store_n(&arg0, 1, __ATOMIC_RELEASE)"},
	{"load", "_Atomic int arg0;", "__atomic_load_n(&arg0, __ATOMIC_SEQ_CST)"},
	{"section", "int arg0;", "__VERIFIER_atomic_begin(); if (arg0) arg0 = 0; __VERIFIER_atomic_end()"},
	{"spin loop", "volatile int arg0;", "while (arg0)"},
	{"futex", "int arg0;", "syscall(SYS_futex, &arg0, FUTEX_WAIT, 1, 0, 0, 0)"},
}

// Objects whose users may depend on stores of two threads that wait: the functions that depend on an object, and the
// functions that store to it without draining. Functions that initialise or destroy an object are left out: other
// threads use it before or after, not meanwhile. "memory" is the memory of the program, to which it can store itself.
var wantAffected = map[string]string{
	"once_flag":          "call_once; stored by call_once",
	"pthread_once_t":     "pthread_once; stored by pthread_once",
	"pthread_spinlock_t": "pthread_spin_lock pthread_spin_trylock; stored by pthread_spin_unlock",
	// Sections: of the program, of the wait in futex, of realloc, which copies a block, and around the lists of atexit.
	"memory": "at_quick_exit atexit compare-exchange futex realloc reallocarray section",
}

// TestAffectedInC: in C, one delaying thread may not be enough for spin locks, once, compare-exchanges, sections and what
// is made of sections. All other operations that wait or do other things for other values do so for objects of the
// library which only operations that drain change. Every function of the library is called.
func TestAffectedInC(t *testing.T) {
	objects := map[string]*affected{}
	called := map[string]bool{}
	ask := func(name, header, globals, statement string, types []string) {
		text := "#define _GNU_SOURCE\n#include <" + header + ">\n#include <pthread.h>\n#include <sys/syscall.h>\n#include <linux/futex.h>\n#include <unistd.h>\n" +
			"void __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\nvoid *run();\nvoid *run() { return 0; }\n" + globals +
			"\nint main(void) { " + statement + "; return 0; }\n"
		run := pipeline.Open(query.Input{Name: "test.c", Text: []byte(text)})
		if err := run.Read(t.Context(), pipeline.ReadOptions{Options: query.Defaults()}); err != nil {
			t.Errorf("%s: %v %v\n%s", name, err, run.Diagnostics, text)
			return
		}
		flat, err := run.Flatten(query.Defaults())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		called[name] = true
		collect(flat, name, types, objects)
	}
	for name, f := range prototypes(t) {
		globals, call, types := f.call()
		if strings.HasPrefix(name, "__") || !strings.Contains(strings.Join(f.params, ","), "*") {
			continue // parts of macros, which are constructs, and functions without memory
		}
		ask(name, f.header, globals, call, types)
	}
	for _, c := range constructs {
		ask(c.name, "stddef.h", c.globals, c.call, []string{"int"})
	}
	if len(called) < 150 {
		t.Errorf("%d functions were called", len(called))
	}
	got := map[string]string{}
	for object, o := range objects {
		maps.DeleteFunc(o.stores, func(name string, _ bool) bool {
			return strings.HasSuffix(name, "_init") || strings.HasSuffix(name, "_destroy")
		})
		waits := strings.Join(slices.Sorted(maps.Keys(o.waits)), " ")
		switch {
		case waits == "":
		case object == "memory":
			got[object] = waits
		case len(o.stores) > 0:
			got[object] = waits + "; stored by " + strings.Join(slices.Sorted(maps.Keys(o.stores)), " ")
		}
	}
	for object := range maps.Keys(wantAffected) {
		if got[object] != wantAffected[object] {
			t.Errorf("%s: %q, want %q", object, got[object], wantAffected[object])
		}
		delete(got, object)
	}
	if len(got) > 0 {
		t.Errorf("also affected: %v", got)
	}
}

// collect adds what the operations of a program depend on and store to.
func collect(p *ir.Program, name string, types []string, objects map[string]*affected) {
	facts := analysis.NewFacts(p, nil)
	for _, f := range p.Funcs {
		inside, err := ir.SectionLocs(f)
		if err != nil {
			panic(err)
		}
		for i := range f.Edges {
			e := &f.Edges[i]
			waits := dependsOnValue(&e.Op) || inside[e.From] && e.Op.Reads()
			stores := e.Op.Kind == ir.Store && !inside[e.From]
			if !waits && !stores {
				continue
			}
			for _, of := range objectsOf(p, facts, e, types) {
				o := objects[of]
				if o == nil {
					o = &affected{map[string]bool{}, map[string]bool{}}
					objects[of] = o
				}
				if waits {
					o.waits[name] = true
				} else {
					o.stores[name] = true
				}
			}
		}
	}
}

// objectsOf names the objects that an edge may access: the type of an argument, or a variable of the library.
func objectsOf(p *ir.Program, facts *analysis.Facts, e *ir.Edge, types []string) []string {
	foot := facts.Footprint(e)
	if foot.Anything {
		return []string{"memory"}
	}
	var out []string
	for _, r := range foot.Ranges {
		obj := p.FindObject(uint64(r.Lo), int(r.Hi-r.Lo))
		if obj == ir.NoObject {
			out = append(out, "memory") // a block
			continue
		}
		object, i := p.Objects[obj].Name, 0
		if n, _ := fmt.Sscanf(object, "arg%d", &i); n == 1 && i < len(types) {
			object = types[i]
		}
		switch object {
		case "int", "char", "void":
			object = "memory"
		}
		out = append(out, object)
	}
	return out
}

// dependsOnValue reports whether an operation waits, or does other things for other values.
func dependsOnValue(op *ir.Op) bool {
	switch op.Kind {
	case ir.Await, ir.AbstractLoad, ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier:
		return true
	}
	return op.Kind == ir.RMW && (op.Cond != nil || op.RMW == ir.Cas)
}
