package memory

import (
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
)

const strayProgram = `
program p flat
object near size 8 unit 4 type s32
object far size 8 unit 4 type s32
object out size 8

func a() {
  reg p
  reg d
  loc L0
  loc L1
  loc L2
  loc L3
  L0 -> L1: p = &near
  L1 -> L2: d = %s
  L2 -> L3: store.s32 [(p +u64 d)] = 5
}

func b() {
  reg r
  loc L0
  loc L1
  loc L2
  loc L3
  L0 -> L1: store.s32 [&far] = 1
  L1 -> L2: r = load.s32 [&far]
  L2 -> L3: store.s64 [&out] = r
}

thread a = a()
thread b = b()
`

// TestStray: thread-private memory bypasses the buffer, and an access that reaches it from
// another object is noticed.
func TestStray(t *testing.T) {
	for _, c := range []struct {
		distance string
		stray    bool
	}{{"0", false}, {"4", false}, {"32", true}, {"2", false}} {
		p := parseProgram(t, c.distance)
		y := New(p, TSO, Options{Private: true})
		if !y.PrivateAt(p.Objects[0].Addr) || !y.PrivateAt(p.Objects[1].Addr) {
			t.Fatal("no memory is thread-private")
		}
		s := y.NewState()
		for thread := range 2 {
			for steps := y.EnabledEdges(s, thread, nil); len(steps) > 0; steps = y.EnabledEdges(s, thread, nil) {
				y.Apply(s, steps[0])
				if _, failed := s.Fault(); failed {
					break
				}
			}
			for _, e := range s.Buffer(ir.ThreadID(thread)) {
				if y.PrivateAt(e.Addr) {
					t.Errorf("distance %s: thread-private memory is buffered", c.distance)
				}
			}
		}
		if stray := s.Err == ErrStray; stray != c.stray {
			t.Errorf("distance %s: stray %v", c.distance, stray)
		}
	}
}

func parseProgram(t *testing.T, distance string) *ir.Program {
	t.Helper()
	text := []byte(replaceOnce(strayProgram, distance))
	p, diags := irtext.Parse("p.ir", text)
	if diags.HasErrors() {
		t.Fatalf("%+v", diags.All)
	}
	return p
}

func replaceOnce(text, with string) string {
	for i := range text {
		if text[i] == '%' {
			return text[:i] + with + text[i+2:]
		}
	}
	return text
}
