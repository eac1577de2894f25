package dual_test

import (
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

// handMade are programs against the steps of the argument for the normal form, each with its answer under
// TSO and the step that it tries to break.
var handMade = []struct {
	why, text string
	unsafe    bool
}{
	{"an own message is the oldest one: the store of x has left, that of z waits, and x is read before y", `
vars x y z
thread a regs r s init q0 begin
  q0: mem[x] <- 1; goto q1;
  q1: mem[z] <- 1; goto q2;
  q2: r <- mem[x]; goto q3;
  q3: assume r == 1; goto q4;
  q4: s <- mem[y]; goto q5;
  q5: assume s == 0; goto done;
  done:
end
thread b regs r s init q0 begin
  q0: mem[y] <- 1; goto q1;
  q1: fence; goto q2;
  q2: r <- mem[x]; goto q3;
  q3: assume r == 1; goto q4;
  q4: s <- mem[z]; goto q5;
  q5: assume s == 0; goto done;
  done:
end
goal a:done, b:done;
`, true},
	{"the same with a read of y first: x must then come from memory, which b has overwritten", `
vars x y z
thread a regs r s init q0 begin
  q0: mem[x] <- 1; goto q1;
  q1: mem[z] <- 1; goto q2;
  q2: s <- mem[y]; goto q3;
  q3: assume s == 1; goto q4;
  q4: r <- mem[x]; goto q5;
  q5: assume r == 1; goto done;
  done:
end
thread b regs r init q0 begin
  q0: r <- mem[x]; goto q1;
  q1: assume r == 1; goto q2;
  q2: mem[x] <- 2; goto q3;
  q3: mem[y] <- 1; goto done;
  done:
end
goal a:done, b:done;
`, false},
	{"a read-modify-write empties the buffer between the store and the load", `
vars x y l
thread a regs r init q0 begin
  q0: mem[x] <- 1; goto q1;
  q1: r <- xchg(mem[l], 1); goto q2;
  q2: r <- mem[y]; goto q3;
  q3: assume r == 0; goto done;
  done:
end
thread b regs r init q0 begin
  q0: mem[y] <- 1; goto q1;
  q1: fence; goto q2;
  q2: r <- mem[x]; goto q3;
  q3: assume r == 0; goto done;
  done:
end
goal a:done, b:done;
`, false},
	{"two stores to one cell wait, and the older value is seen by others while the newer one is read", `
vars x y
thread a regs r s init q0 begin
  q0: mem[x] <- 1; goto q1;
  q1: mem[x] <- 2; goto q2;
  q2: r <- mem[x]; goto q3;
  q3: assume r == 2; goto q4;
  q4: s <- mem[y]; goto q5;
  q5: assume s == 0; goto done;
  done:
end
thread b regs r init q0 begin
  q0: mem[y] <- 1; goto q1;
  q1: fence; goto q2;
  q2: r <- mem[x]; goto q3;
  q3: assume r == 1; goto done;
  done:
end
goal a:done, b:done;
`, true},
	{"a loop that stores as often as it likes before its load, and another thread that sees three rounds", `
vars x y
thread a regs r init q0 begin
  q0: mem[x] <- 1; goto q1;
  q1: mem[x] <- 2; goto q0;
  q1: r <- mem[y]; goto q2;
  q2: assume r == 0; goto done;
  done:
end
thread b regs r init q0 begin
  q0: mem[y] <- 1; goto q1;
  q1: fence; goto q2;
  q2: r <- mem[x]; goto q3;
  q3: assume r == 1; goto q4;
  q4: r <- mem[x]; goto q5;
  q5: assume r == 2; goto q6;
  q6: r <- mem[x]; goto q7;
  q7: assume r == 1; goto q8;
  q8: r <- mem[x]; goto q9;
  q9: assume r == 2; goto qa;
  qa: r <- mem[x]; goto qb;
  qb: assume r == 1; goto done;
  done:
end
goal a:done, b:done;
`, true},
	{"the same with a fence in the loop: only one store can wait", `
vars x y
thread a regs r init q0 begin
  q0: mem[x] <- 1; goto q1;
  q1: fence; goto q2;
  q2: mem[x] <- 2; goto q3;
  q3: fence; goto q0;
  q3: r <- mem[y]; goto q4;
  q4: assume r == 0; goto done;
  done:
end
thread b regs r init q0 begin
  q0: mem[y] <- 1; goto q1;
  q1: fence; goto q2;
  q2: r <- mem[x]; goto q3;
  q3: assume r == 2; goto q4;
  q4: r <- mem[x]; goto q5;
  q5: assume r == 1; goto done;
  done:
end
goal a:done, b:done;
`, false},
	{"messages of two cells in the order of memory: a lagging thread sees both writes of b in order", `
vars x y z w
thread a regs r s init q0 begin
  q0: mem[z] <- 1; goto q1;
  q1: r <- mem[y]; goto q2;
  q2: assume r == 1; goto q3;
  q3: s <- mem[x]; goto q4;
  q4: assume s == 0; goto done;
  done:
end
thread b regs r init q0 begin
  q0: mem[x] <- 1; goto q1;
  q1: mem[y] <- 1; goto q2;
  q2: r <- mem[z]; goto q3;
  q3: assume r == 0; goto done;
  done:
end
goal a:done, b:done;
`, false},
	{"a thread in any state writes twice: its older value must still come first", `
vars x y
thread a regs r init q0 begin
  q0: r <- mem[x]; goto q1;
  q1: assume r == 2; goto q2;
  q2: r <- mem[x]; goto q3;
  q3: assume r == 1; goto done;
  done:
end
thread b init q0 begin
  q0: mem[x] <- 1; goto q1;
  q1: mem[x] <- 2; goto q2;
  q2:
end
goal a:done;
`, false},
	{"threads that lag twice: two bursts of each, with the other's first store between them", `
vars x y u v
thread a regs r s init q0 begin
  q0: mem[x] <- 1; goto q1;
  q1: r <- mem[y]; goto q2;
  q2: mem[u] <- 1; goto q3;
  q3: s <- mem[v]; goto q4;
  q4: assume r == 0; goto q5;
  q5: assume s == 0; goto done;
  done:
end
thread b regs r s init q0 begin
  q0: mem[y] <- 1; goto q1;
  q1: r <- mem[x]; goto q2;
  q2: mem[v] <- 1; goto q3;
  q3: s <- mem[u]; goto q4;
  q4: assume r == 1; goto q5;
  q5: assume s == 0; goto done;
  done:
end
goal a:done, b:done;
`, true},
}

// TestHandMade: the programs against the normal form have their answers, from dual and from the explicit engine with
// buffers of 8.
func TestHandMade(t *testing.T) {
	for _, p := range handMade {
		for _, name := range []string{"dual", "explicit"} {
			opt := query.CheckOptions{Engines: query.NamedEngines(name)}
			opt.Buffer = 8
			r := resultOf(t, "hand-made.fp", "program p\n"+p.text, opt)
			want := verdict.Safe
			if p.unsafe {
				want = verdict.Unsafe
			}
			if r.Verdict != want {
				t.Errorf("%s: %s says %s, want %s", p.why, name, r.Verdict, want)
			}
			if name == "dual" && r.Verdict == verdict.Safe && !r.Coverage.Exhaustive {
				t.Errorf("%s: safe, but not for all executions", p.why)
			}
		}
	}
}
