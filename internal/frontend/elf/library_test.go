package elf

import (
	"regexp"
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/source"
)

// onlyInC are functions of the C front end that machine code does not call, or that are not supported there, and why;
// the names are patterns.
var onlyInC = []struct{ names, why string }{
	{`__fp_\w+`, "the C front end's own functions"},
	{`__builtin_\w+|__atomic_\w+_n|__atomic_fetch_\w+|__atomic_\w+_fetch|__atomic_\w+_fence|__sync_(?:fetch|add|sub|and|or|xor|nand|lock|bool|val)_\w+|alloca`, "compilers expand these, or call functions that the list has"},
	{`(ceil|copysign|fabs|fdim|floor|fmax|fmin|fmod|frexp|ldexp|llrint|llround|lrint|lround|modf|nan|nearbyint|rint|round|scalbln|scalbn|sqrt|trunc)f?`, "floating point"},
	{`__VERIFIER_nondet_(float|double)`, "floating point"},
	{`v(s|sn|as)printf`, "the arguments are in a list whose layout is the machine's"},
	{`f?scanf`, "the types of the objects that it stores to are not in machine code"},
	{`l?l?div`, "the result is a structure"},
}

// functionsOfC returns the functions of the C front end and of its sources in C.
func functionsOfC() map[string]bool {
	out := map[string]bool{}
	lib := library.New()
	for name := range lib.Functions {
		out[name] = true
	}
	define := regexp.MustCompile(`(?m)^(?:[\w]+[ *]+)+(\w+)\([^;{]*\) \{`)
	for _, f := range lib.Sources {
		for _, m := range define.FindAllStringSubmatch(string(f.Text), -1) {
			if !strings.HasPrefix(m[0], "static ") {
				out[m[1]] = true
			}
		}
	}
	return out
}

// TestLibraryOfC: machine code can call every function that C can call, but for exceptions with a reason; and every
// exception is needed.
func TestLibraryOfC(t *testing.T) {
	all := functionsOfC()
	if len(all) < 400 || !all["strdup"] || !all["pthread_getspecific"] {
		t.Fatalf("only %d functions of C are found", len(all))
	}
	used := map[int]bool{}
	for name := range all {
		exception := false
		for i, e := range onlyInC {
			if regexp.MustCompile(`^(?:` + e.names + `)$`).MatchString(name) {
				exception, used[i] = true, true
			}
		}
		if known := libraryFunction(name) != nil; known == exception {
			t.Errorf("%s: machine code can call it: %t; it is an exception: %t", name, known, exception)
		}
	}
	for i, e := range onlyInC {
		if !used[i] {
			t.Errorf("no function is %s", e.names)
		}
	}
}

// TestPrototypes: every line of prototypes.txt is a call that the translation of C takes.
func TestPrototypes(t *testing.T) {
	for text := range strings.Lines(prototypeText + prototypeCpp) {
		pr := parsePrototype(text)
		if pr == nil {
			if text = strings.TrimSpace(text); text != "" && !strings.HasPrefix(text, "//") {
				t.Errorf("%s is not understood", text)
			}
			continue
		}
		p := newProgram(nil, &request{}, nil)
		in := &inst{extern: pr.name, liveness: liveness{live: ^regSet(0)}}
		if pr.name == "syscall" {
			pr = pr.with(1)
		}
		pr.call = strings.Replace(pr.call, "TYPE", "3", 1) // the number of a type that is thrown
		in.stub = &stub{name: "fp_call_1", proto: pr, in: in}
		for range pr.params {
			in.stub.args = append(in.stub.args, nil)
		}
		p.funcs = []*function{{order: []*inst{in}}}
		file := p.stubs()
		whole := string(file.Text) + "int main(void) { return 0; }\n"
		_, diags := translate.Program([]*source.File{source.NewFile(textName, []byte(whole))}, library.New(), translate.Options{})
		for _, d := range diags.All {
			t.Errorf("%s: %s %s", pr.name, d.Code, d.Message)
		}
	}
}
