package transform_test

import (
	"strings"
	"testing"

	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/transform"
)

// localProgram returns a program in which main calls a function f with the given
// instructions while another thread runs.
func localProgram(body string) string {
	return `
program p structured
object x size 8
object keep size 8

func main() {
  reg r
  reg s
  loc L0
  loc L1
  loc L2
  L0 -> L1: r = call f()
  L1 -> L2: s = call f()
}

func f() {
  reg b
  reg p
  reg v
  reg n
  loc L0
  loc L1
  loc L2
  loc L3
  loc L4
  loc L5
  loc L6
` + body + `
}

func other() {
  reg q
  loc L0
  loc L1
  loc L2
  L0 -> L1: q = load.s64 [&keep]
  L1 -> L2: store.s64 [&x] = 1
}

thread main = main()
thread other = other()
`
}

// TestLocalize: blocks become objects exactly if no other thread can reach them and they
// are not used after they are freed. The results of the program stay the same.
func TestLocalize(t *testing.T) {
	for _, c := range []struct {
		name, body string
		objects    int // number of new objects
	}{
		{"confined", `
  L0 -> L1: b = alloc.stack 16
  L1 -> L2: p = (b +u64 8)
  L2 -> L3: store.s64 [p] = 5
  L3 -> L4: v = load.s64 [(b +u64 8)]
  L4 -> L5: free.stack [b]
  L5 -> L6: return v`, 2},
		{"compared", `
  L0 -> L1: b = alloc.stack 8
  L1 -> L2: v = (b ==u64 0)
  L2 -> L3: store.s64 [b] = v
  L3 -> L4: v = load.s64 [b]
  L4 -> L5: free.stack [b]
  L5 -> L6: return v`, 2},
		{"stored", `
  L0 -> L1: b = alloc.stack 8
  L1 -> L2: store.s64 [b] = 3
  L2 -> L3: store.s64 [&keep] = b
  L3 -> L4: v = load.s64 [b]
  L4 -> L5: store.s64 [&keep] = 0
  L5 -> L6: return v`, 0},
		{"computed with", `
  L0 -> L1: b = alloc.stack 8
  L1 -> L2: p = (b | 0)
  L2 -> L3: store.s64 [p] = 3
  L3 -> L4: v = load.s64 [b]
  L4 -> L5: free.stack [b]
  L5 -> L6: return v`, 0},
		{"mixed", `
  L0 -> L1: b = alloc.stack 8
  L1 -> L2: p = b
  L1 -> L2: p = load.s64 [&keep]
  L2 -> L3: store.s64 [b] = 3
  L3 -> L4: v = load.s64 [p]
  L4 -> L5: free.stack [b]
  L5 -> L6: return v`, 0},
		{"used when gone", `
  L0 -> L1: b = alloc.stack 8
  L1 -> L2: store.s64 [b] = 3
  L2 -> L3: free.stack [b]
  L3 -> L4: v = load.s64 [b]
  L4 -> L6: return v`, 0},
		{"size not known", `
  L0 -> L1: n = load.s64 [&x]
  L1 -> L2: b = alloc.stack (n + 8)
  L2 -> L3: store.s64 [b] = 3
  L3 -> L4: v = load.s64 [b]
  L4 -> L5: free.stack [b]
  L5 -> L6: return v`, 0},
		{"freed twice", `
  L0 -> L1: b = alloc.stack 8
  L1 -> L2: free.stack [b]
  L2 -> L3: free.stack [b]
  L3 -> L6: return 0`, 0},
		{"in a loop", `
  L0 -> L1: b = alloc.stack 8
  L1 -> L2: store.s64 [b] = n
  L2 -> L3: v = load.s64 [b]
  L3 -> L4: free.stack [b]
  L4 -> L5: n = (n + 1)
  L5 -> L0: assume (n < 3)
  L5 -> L6: assume (n >= 3)`, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			flat := flatten(t, localProgram(c.body), 2)
			if made := len(flat.Objects) - 2; made != c.objects {
				t.Fatalf("%d objects made, want %d\n%s", made, c.objects, irtext.Print(flat))
			}
			if blocks := strings.Contains(irtext.Print(flat), "alloc"); blocks != (c.objects == 0) {
				t.Errorf("blocks left: %v\n%s", blocks, irtext.Print(flat))
			}
			for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
				finals(t, flat, m) // compares with the enumerator
			}
		})
	}
}

// TestThreadLocal: every thread has a copy of a thread-local object.
func TestThreadLocal(t *testing.T) {
	const text = `
program p structured
object mine size 8 perthread init 7
object out size 16 unit 8

func work(i) {
  reg v
  loc L0
  loc L1
  loc L2
  loc L3
  loc L4
  L0 -> L1: v = load.s64 [&mine] in mine
  L1 -> L2: store.s64 [&mine] = (v + i)
  L2 -> L3: v = load.s64 [&mine]
  L3 -> L4: store.s64 [(&out + (i * 8))] = v
}

thread one = work(0)
thread two = work(1)
`
	p, diags := irtext.Parse("test.ir", []byte(text))
	if diags.HasErrors() {
		t.Fatalf("%+v", diags.All)
	}
	if again, _ := irtext.Parse("test.ir", []byte(irtext.Print(p))); irtext.Print(again) != irtext.Print(p) {
		t.Error("the printed form does not parse back")
	}
	flat, err := transform.Run(p, transform.Options{Unroll: 1, Plain: true}, nil) // the copies become registers otherwise
	if err != nil {
		t.Fatal(err)
	}
	if len(flat.Objects) != 3 || flat.Objects[0].PerThread || flat.Objects[2].Name != "mine@two" || p.Objects[0].PerThread != true {
		t.Fatalf("objects %+v", flat.Objects)
	}
	for _, state := range finals(t, flat, memory.PSO).Finals {
		if !strings.Contains(state, "mine=7") || !strings.Contains(state, "mine@two=8") {
			t.Errorf("final state %s", state)
		}
	}
}
