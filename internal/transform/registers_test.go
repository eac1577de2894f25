package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/transform"
)

// TestRegisters: which variables in memory become registers, and as how many.
func TestRegisters(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"a variable", "a -> b: store [&own] = 5\n b -> c: r = load [&own]", "own: 1"},
		{"through a copy of its address", "a -> b: s = &own\n b -> c: store [s] = 5\n c -> d: s = load [&x]\n d -> e: store [&own] = s", "own: 1"},
		{"one address on all ways", "a -> b: s = &own\n a -> c: s = &own\n b -> d: r = 1\n c -> d: r = 2\n d -> e: store [s] = r", "own: 1"},
		{"two addresses", "a -> b: s = &own\n a -> b: s = &x\n b -> c: store [s] = 5", "own stays"},
		{"read before it is set", "a -> b: store [s] = 5\n b -> a: s = &own", "own stays"},
		{"two parts", "a -> b: store.s32 [&own] = 5\n b -> c: r = load.u8 [&own + 4]\n c -> d: r = load.s32 [&own]", "own: 2"},
		{"a part that is a part of another", "a -> b: store.s32 [&own] = 5\n b -> c: r = load.u8 [&own]", "own stays"},
		{"two types", "a -> b: store.s32 [&own] = 5\n b -> c: r = load.u32 [&own]", "own stays"},
		{"outside", "a -> b: store [&own + 4] = 5", "own stays"},
		{"its address is stored", "a -> b: store [&x] = &own\n b -> c: r = load [&own]", "own stays"},
		{"its address is compared", "a -> b: r = &own == s\n b -> c: r = load [&own]", "own stays"},
		{"exchanged", "a -> b: r = rmw.xchg [&own], 1\n b -> c: r = load [&own]", "own stays"},
		{"an unknown place", "a -> b: store [&own + r] = 1\n b -> c: r = load [&own]", "own stays"},
		{"a test for null", "a -> b: store [&own] = 5\n b -> c: assume &own != 0\n b -> d: assume &own == 0\n c -> d: r = load [&own]", "own: 1"},
		{"an assumption that never holds", "a -> b: store [&own] = 5\n b -> c: assume &own == 0\n c -> d: r = load [&own]", "own: 1"},
		{"an assumption about a register and its address", "a -> b: store [&own] = 5\n b -> c: assume &own == r", "own stays"},
		{"released", "a -> b: store [&own] = 5 release\n b -> c: r = load [&own]", "own stays"},
	}
	for _, tt := range tests {
		text := "program test structured\nobject x size 8\nobject own size 8 perthread init 3\nfunc f() {\n reg r\n reg s\n " + tt.body + "\n}\n" +
			"func g() {\n a -> b: store [&x] = 5\n}\nthread f = f()\nthread g = g()\n"
		p, diags := irtext.Parse("test.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatalf("%s: %v", tt.name, diags.All)
		}
		if got := whatBecame(t, p, transform.Options{}); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		for _, opt := range []transform.Options{{Observed: true}, {Plain: true}, {Objects: []ir.ObjectID{1}}} {
			if opt.Objects != nil && strings.Contains(tt.body, "s = &own") {
				continue // a block is another object
			}
			if got := whatBecame(t, p, opt); got != "own stays" {
				t.Errorf("%s: a variable that is observed, or without passes: %s", tt.name, got)
			}
		}
	}
	p, _ := irtext.Parse("test.ir", []byte("program test structured\nobject own size 4 perthread type s32 init -3\nfunc f() {\n reg r\n a -> b: r = load.s32 [&own]\n}\nthread f = f()\n"))
	flat, err := transform.Run(p, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := flat.Funcs[0].Regs[1]; r.Name != "own" || r.Init != -3 {
		t.Errorf("the register of a variable that is -3 at first: %+v", r)
	}
	text := "program test structured\nobject own size 8 perthread\nfunc f() {\n reg r\n a -> b: store [&own] = 5\n b -> c: assume &own == 0\n c -> d: r = load [&own]\n}\nthread f = f()\n"
	p, _ = irtext.Parse("test.ir", []byte(text))
	if flat, err = transform.Run(p, transform.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	if e := &flat.Funcs[0].Edges[1]; e.Op.Kind != ir.Assume || !e.Op.Val.Equal(ir.Int(0)) {
		t.Errorf("where no execution goes on, there is %v", e.Op.Kind)
	}
	static := "program test structured\nobject own size 8\nfunc f() {\n a -> b: store [&own] = 5\n}\nthread f = f()\n"
	p, _ = irtext.Parse("test.ir", []byte(static))
	if got := whatBecame(t, p, transform.Options{}); got != "own stays" {
		t.Errorf("a variable with static storage: %s", got)
	}
}

// whatBecame says what the passes make of the object own: how many registers, with its first value.
func whatBecame(t *testing.T, p *ir.Program, opt transform.Options) string {
	t.Helper()
	flat, err := transform.Run(p, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(irtext.Print(flat), `"`, "")
	if _, code, _ := strings.Cut(text, "func f"); strings.Contains(code, "&own") || strings.Contains(code, "[own") {
		return "own stays" // or the block that stands for it
	}
	if strings.Contains(text, " alloc") {
		return "own stays"
	}
	n := 0
	for _, r := range flat.Funcs[0].Regs {
		// A register with the address of a block, which flatten made of the variable, has this name, too.
		if strings.HasPrefix(r.Name, "own") && strings.Contains(text, r.Name) && (r.Name != "own" || !strings.Contains(text, "own#2")) {
			n++
		}
	}
	return fmt.Sprintf("own: %d", n)
}
