package memory_test

import (
	"bytes"
	"fmt"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/transform"
)

const assumedProgram = `program assumed structured
object x size 8
func t() {
  reg r, s
  a -> b: r = %d
  b -> c: store [&x] = 1
  c -> d: assume r == 7
  c -> e: assume r == 8
}
thread t = t()
`

// assumedThread returns the program whose register has a value.
func assumedThread(t *testing.T, r int64) *ir.Program {
	p, diags := irtext.Parse("test.ir", fmt.Appendf(nil, assumedProgram, r))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(p, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

// TestAssumed: states in which an assumption has stopped a thread are encoded alike, whatever its
// registers hold, unless a property reads them; in the decoded state the thread is still stopped, and its
// buffer drains. A thread that can go on is another state.
func TestAssumed(t *testing.T) {
	for _, m := range []memory.Model{memory.SC, memory.TSO} {
		for _, keep := range []bool{false, true} {
			codes := map[int64][]byte{}
			for _, r := range []int64{0, 1, 7} {
				p := assumedThread(t, r)
				y := memory.New(p, m, memory.Options{Keep: func(ir.ThreadID, ir.Reg) bool { return keep }})
				s := y.NewState()
				y.Apply(s, y.Enabled(s, nil)[0])
				y.Apply(s, y.Enabled(s, nil)[0])
				codes[r] = y.Codec().Encode(s, nil)
				if got := y.Thread(s, 0).Stuck(); got != (r != 7) {
					t.Errorf("%s: r = %d: stuck is %v", m, r, got)
				}
				d := y.NewState()
				y.Codec().Decode(d, codes[r])
				if y.Thread(d, 0).Stuck() != (r != 7) || len(y.Enabled(d, nil)) != len(y.Enabled(s, nil)) || !bytes.Equal(y.Codec().Encode(d, nil), codes[r]) {
					t.Errorf("%s: r = %d: the decoded state differs", m, r)
				}
			}
			if same := bytes.Equal(codes[0], codes[1]); same == keep {
				t.Errorf("%s: kept %v: stopped threads are encoded alike: %v", m, keep, same)
			}
			if bytes.Equal(codes[0], codes[7]) {
				t.Errorf("%s: a thread that goes on is encoded like one that is stopped", m)
			}
		}
	}
}
