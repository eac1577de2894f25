package transform

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
)

// TestCallTargets: addresses of functions spread through registers, arguments, results, threads
// and memory, and a call goes to the functions that reach it.
func TestCallTargets(t *testing.T) {
	const head = `
program targets structured
object x size 8
object table size 24
object ops size 32
func a() pointer "v()" {
  l0 -> l1: return 1
}
func b() pointer "v()" {
  l0 -> l1: return 2
}
func c() pointer "w()" {
  l0 -> l1: return 3
}
func d(p) pointer {
  l0 -> l1: return p
}
func pass(f) {
  l0 -> l1: return f
}
func put(at, f) {
  l0 -> l1: store.u64 [at] = f
}
func worker(f) {
  l0 -> l1: call [f]()
  l1 -> l2: return &&b
}
func main() {
  reg f, g, h, p, i
`
	tests := []struct{ name, body, want string }{
		{"register", "l0 -> l1: f = &&a\n l1 -> l2: call [f]()", "main: a"},
		{"one register for two purposes", "l0 -> l1: f = &&a\n l1 -> l2: call [f]()\n l2 -> l3: f = &&b\n l3 -> l4: call [f]()", "main: a; main: b"},
		{"two ways", "l0 -> l1: f = &&a\n l0 -> l1: f = &&b\n l1 -> l2: call [f]()", "main: a b"},
		{"a loop", "l0 -> l1: f = &&a\n l1 -> l2: call [f]()\n l2 -> l1: f = &&b", "main: a b"},
		{"the number of arguments", "l0 -> l1: f = &&a\n l0 -> l1: f = &&d\n l1 -> l2: call [f](7)", "main: d"},
		{"the type", "l0 -> l1: f = &&a\n l0 -> l1: f = &&c\n l1 -> l2: call [f](), \"w()\"", "main: c"},
		{"any type", "l0 -> l1: f = &&a\n l0 -> l1: f = &&c\n l1 -> l2: call [f]()", "main: a c"},
		{"a function without types", "l0 -> l1: f = &&d\n l1 -> l2: call [f](7), \"w()\"", "main: d"},
		{"argument and result", "l0 -> l1: f = call pass(&&b)\n l1 -> l2: call [f]()", "main: b"},
		{"a choice", "l0 -> l1: f = i ? &&a : &&b\n l1 -> l2: call [f]()", "main: a b"},
		{"arithmetic", "l0 -> l1: f = &&a | 1\n l1 -> l2: f = f & -2\n l2 -> l3: call [f]()", "main: a"},
		{"a comparison is no address", "l0 -> l1: f = &&a == i\n l1 -> l2: call [f]()", "main:"},
		{"memory", "l0 -> l1: store.u64 [&x] = &&a\n l1 -> l2: f = load.u64 [&x]\n l2 -> l3: call [f]()", "main: a"},
		{"members", "l0 -> l1: store.u64 [&ops] = &&a\n l1 -> l2: store.u64 [&ops + 8] = &&b\n l2 -> l3: f = load.u64 [&ops + 8]\n l3 -> l4: call [f]()", "main: b"},
		{"a member through a pointer", "l0 -> l1: p = &ops\n l1 -> l2: store.u64 [p + 8] = &&b\n l2 -> l3: f = load.u64 [&ops + 8]\n l3 -> l4: call [f]()", "main: b"},
		{"an element", "l0 -> l1: store.u64 [&table + (8 * i)] = &&a\n l1 -> l2: store.u64 [&table + 8] = &&b\n l2 -> l3: f = load.u64 [&table]\n l3 -> l4: call [f]()", "main: a"},
		{"any element", "l0 -> l1: store.u64 [&table] = &&a\n l1 -> l2: store.u64 [&table + 8] = &&b\n l2 -> l3: f = load.u64 [&table + (8 * i)]\n l3 -> l4: call [f]()", "main: a b"},
		{"halves of a word", "l0 -> l1: store.u32 [&x] = &&a\n l1 -> l2: f = load.u32 [&x + 4]\n l2 -> l3: call [f]()", "main: a"},
		{"a block", "l0 -> l1: p = alloc 16\n l1 -> l2: call put(p + 8, &&b)\n l2 -> l3: g = p\n l3 -> l4: f = load.u64 [g + 8]\n l4 -> l5: call [f]()", "main: b"},
		{"a pointer to a pointer", "l0 -> l1: store.u64 [&x] = &ops + 16\n l1 -> l2: p = load.u64 [&x]\n l2 -> l3: store.u64 [p] = &&a\n l3 -> l4: f = load.u64 [&ops + 16]\n l4 -> l5: call [f]()", "main: a"},
		{"exchange", "l0 -> l1: f = rmw.xchg.u64 [&x], &&a seq_cst\n l1 -> l2: call [f]()", "main: a"},
		{"threads", "l0 -> l1: h = spawn worker(&&a)\n l1 -> l2: f = join h\n l2 -> l3: call [f]()", "worker: a; main: b"},
		{"the function of a thread", "l0 -> l1: f = &&d\n l1 -> l2: h = spawn [f](&&a)\n l2 -> l3: f = join h\n l3 -> l4: call [f]()", "main: d; main: a"},
		{"through the called function", "l0 -> l1: f = &&d\n l1 -> l2: g = call [f](&&b)\n l2 -> l3: call [g]()", "main: d; main: b"},
		{"nothing", "l0 -> l1: call [i]()", "main:"},
	}
	for _, tt := range tests {
		p, diags := irtext.Parse("test.ir", []byte(head+tt.body+"\n}\nthread main = main()\nmain main\n"))
		if diags.HasErrors() {
			t.Fatalf("%s: %v", tt.name, diags)
		}
		targets, err := callTargets(p, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range p.Funcs {
			for i := range f.Edges {
				reached, ok := targets[f.Edges[i].ID]
				if !ok || f.Name == "worker" && len(reached) == 0 {
					continue
				}
				line := f.Name + ":"
				for _, id := range reached {
					line += " " + p.Funcs[id].Name
				}
				got = append(got, line)
			}
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, text, tt.want)
		}
	}
}

// TestCallTargetsInit: a struct of function pointers has the functions of its initialiser, one
// at each member as long as nothing is written there.
func TestCallTargetsInit(t *testing.T) {
	var init []byte
	for f := range ir.FuncID(2) {
		init = binary.LittleEndian.AppendUint64(init, uint64(ir.FuncAddress(f)))
	}
	const text = `
program init structured
object ops size 16 unit 16 type u64 bytes "%x"
func a() pointer {
  l0 -> l1: return 1
}
func b() pointer {
  l0 -> l1: return 2
}
func main() {
  reg f, p
  l0 -> l1: p = &ops
  l1 -> l2: %s
  l2 -> l3: f = load.u64 [p + 8]
  l3 -> l4: call [f]()
}
thread main = main()
main main
`
	for between, want := range map[string][]ir.FuncID{
		"nop":                       {1},
		"store.u64 [p] = 0":         {1},
		"store.u64 [p + 8] = &&a":   {0, 1},
		"store.u64 [p + f] = &&a":   {0, 1},
		"p = havoc":                 nil,
		"store.u64 [p + 8] = p + 8": {1},
	} {
		p, diags := irtext.Parse("test.ir", fmt.Appendf(nil, text, init, between))
		if diags.HasErrors() {
			t.Fatalf("%s: %v", between, diags)
		}
		targets, err := callTargets(p, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := p.Funcs[2]
		if got := targets[f.Edges[len(f.Edges)-1].ID]; !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", between, got, want)
		}
	}
}
