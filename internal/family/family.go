package family

import (
	"fmt"
	"strings"
)

// Family is programs that differ in a number.
type Family struct {
	Name string
	Doc  string
	Min  int // smallest member
	Text func(n int) string
}

// All are the families of [BCDM15 §5.1], and families with known numbers of traces, for stateless model checking.
var All = []Family{
	{"diamond", "simplified Dekker with N branches between the accesses [BCDM15 Fig. 8]", 1, diamond},
	{"countdown", "a loop of length N that stores its counter [BCDM15 Fig. 9]", 2, countdown},
	{"lamport", "Lamport's first fast mutex for N threads without fences [BCDM15 Fig. 7]", 2, lamport},
	{"readers", "one store and N loads of a variable: 2^N traces", 1, plain("readers", "var x;\nthread w { x = 42; }\nthread r * N { reg a; a = x; }\n")},
	{"writers", "N stores to a variable: N! traces", 1, plain("writers", "var x;\nthread w[i] * N { x = i + 1; }\n")},
	{"nw1r", "N stores to a variable and a load: (N+1)! traces", 1, plain("nw1r", "var x;\nthread w[i] * N { x = i + 1; }\nthread r { reg a; a = x; }\n")},
	{"lastzero", "N threads that add to their neighbour's cell, and one that searches for the last zero", 1, plain("lastzero", lastZero)},
	{"ainc", "N atomic increments of a variable: N! traces", 1, plain("ainc", "var x;\nthread t * N { reg a; a = fetch_add(x, 1); }\n")},
	{"casrot", "N compare-and-swaps, each of the value that another one writes", 1, plain("casrot", "var x;\nthread t[i] * N { reg a; a = cas(x, i, i + 1); }\n")},
	{"sbn", "store buffering in a ring of N threads: 2^N traces under TSO, one fewer under SC", 2, plain("sbn", "var v[N];\nthread t[i] * N { reg a; v[i] = 1; a = v[(i + 1) % N]; }\n")},
	{"bufw", "two threads with N stores each before a load: (N+1)^2 traces under TSO, 2N+1 under SC", 1, plain("bufw", bufw)},
	{"fib", "two threads that add the other's number to their own N times", 1, fibonacci},
	{"indexer", "N threads that enter numbers in a hash table; the first eleven never collide", 1, plain("indexer", indexer)},
	{"szymanski", "Szymanski's mutual exclusion for two threads, with fences, N entries each", 1, plain("szymanski", szymanski)},
}

// Find is the family of a name.
func Find(name string) (*Family, bool) {
	for i := range All {
		if All[i].Name == name {
			return &All[i], true
		}
	}
	return nil, false
}

const lastZero = `var a[N + 1];
thread search {
  reg i, v;
  i = N;
  do {
    v = a[i];
    i = i - 1;
  } while (v != 0);
}
thread add[i] * N {
  reg v;
  v = a[i];
  a[i + 1] = v + 1;
}
`

const bufw = `var x, y;
thread t1 {
  reg i = 1, r;
  while (i <= N) { x = i; i = i + 1; }
  r = y;
}
thread t2 {
  reg i = 1, r;
  while (i <= N) { y = i; i = i + 1; }
  r = x;
}
`

// fib is the program of the competition of verifiers that [AAAJLS15 §5] takes, with its reads after the end of
// both threads.
const fib = `// If the threads take turns, x and y are Fibonacci's numbers.
var x = 1, y = 1;
thread t1 {
  reg k, p, q;
  while (k < N) { p = x; q = y; x = p + q; k = k + 1; }
}
thread t2 {
  reg k, p, q;
  while (k < N) { p = y; q = x; y = p + q; k = k + 1; }
}
`

// fibonacci is fib with what holds at its end: no interleaving comes further than taking turns.
func fibonacci(n int) string {
	text := plain("fib", fib)(n)
	if n > 22 { // int has 32 bits
		return text + "// Numbers of 32 bits wrap around.\n"
	}
	x, y := 1, 1
	for range n {
		x = x + y
		y = x + y
	}
	return text + fmt.Sprintf("never x > %d || y > %d;\n", y, y)
}

const indexer = `const SIZE = 128;
var table[SIZE];
thread t[i] * N {
  reg m = 1, w, h, done;
  while (m <= 4) {
    w = m * 11 + i;
    h = w * 7 % SIZE;
    do {
      done = cas(table[h], 0, w);
      h = (h + 1) % SIZE;
    } while (!done);
    m = m + 1;
  }
}
`

const szymanski = `var flag[2], x;
thread p[i] * 2 {
  reg k, r;
  while (k < N) {
    flag[i] = 1;
    fence;
    r = flag[1 - i];
    assume r < 3;
    flag[i] = 3;
    fence;
    r = flag[1 - i];
    if (r == 1) {
      flag[i] = 2;
      fence;
      r = flag[1 - i];
      assume r == 4;
    }
    flag[i] = 4;
    fence;
    r = flag[1 - i];
    assume r < 2;
    x = i;
    r = x;
    assert r == i;
    fence;
    r = flag[1 - i];
    assume r < 2 || r > 3;
    flag[i] = 0;
    k = k + 1;
  }
}
`

// plain is a family whose members differ in the constant N alone.
func plain(name, text string) func(int) string {
	return func(n int) string { return fmt.Sprintf("program %s%d\n\nconst N = %d;\n%s", name, n, n, text) }
}

func diamond(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Simplified Dekker; between its accesses each thread takes one of %d branches\n", n)
	b.WriteString("// by the value of a variable of its own, and changes it. Under TSO both threads\n")
	b.WriteString("// get to their goals if a first store is delayed past all of that.\n")
	fmt.Fprintf(&b, "program diamond%d\n\nvars x y a b\n", n)
	for _, t := range []struct{ name, mine, other, branch string }{{"t1", "x", "y", "a"}, {"t2", "y", "x", "b"}} {
		fmt.Fprintf(&b, "\nthread %s regs r init q0 begin\n", t.name)
		fmt.Fprintf(&b, "  q0: mem[%s] <- 1; goto q1;\n  q1: r <- mem[%s]; goto q2;\n", t.mine, t.branch)
		for i := range n {
			fmt.Fprintf(&b, "  q2: assume r == %d; goto b%d;\n  b%d: mem[%s] <- %d; goto q3;\n", i, i, i, t.branch, (i+1)%n)
		}
		fmt.Fprintf(&b, "  q3: r <- mem[%s]; goto q4;\n  q4: assume r == 0; goto done;\n  done:\nend\n", t.other)
	}
	b.WriteString("\ngoal t1:done, t2:done;\n")
	return b.String()
}

func countdown(n int) string {
	return fmt.Sprintf(`// t1 stores 0 to %d to x, round after round, and then reads y. t2 wants to see
// x = 1 and then x = 0 although t1 has missed y = 1: it needs two rounds of t1's
// stores after t1's load.
program countdown%d

const N = %d;
vars x y

thread t1 regs i r init q0 begin
  q0: assume i < N; goto q1;
  q0: assume i == N; goto q3;
  q1: mem[x] <- i; goto q2;
  q2: i <- i + 1; goto q0;
  q3: i <- 0; goto q0;
  q3: r <- mem[y]; goto q4;
  q4: assume r == 0; goto done;
  done:
end

thread t2 regs r init q0 begin
  q0: mem[y] <- 1; goto q1;
  q1: r <- mem[x]; goto q2;
  q2: assume r == 1; goto q3;
  q3: r <- mem[x]; goto q4;
  q4: assume r == 0; goto done;
  done:
end

goal t1:done, t2:done;
`, n-1, n, n)
}

func lamport(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Lamport's first fast mutex for %d threads, without fences. All of them can be in\n", n)
	b.WriteString("// their critical sections at once under TSO. Where the algorithm relies on a delay (y is\n")
	b.WriteString("// still the thread's own number) the thread stops.\n")
	fmt.Fprintf(&b, "program lamport%d\n\nvars x y\n", n)
	var goals []string
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, `
thread t%d regs r init q0 begin
  q0: mem[x] <- %d; goto q1;
  q1: r <- mem[y]; goto q2;
  q2: assume r != 0; goto q0;
  q2: assume r == 0; goto q3;
  q3: mem[y] <- %d; goto q4;
  q4: r <- mem[x]; goto q5;
  q5: assume r == %d; goto cs;
  q5: assume r != %d; goto q6;
  q6: r <- mem[y]; goto q7;
  q7: assume r != %d; goto q0;
  cs: mem[y] <- 0; goto done;
  done:
end
`, i, i, i, i, i, i)
		goals = append(goals, fmt.Sprintf("t%d:cs", i))
	}
	fmt.Fprintf(&b, "\ngoal %s;\n", strings.Join(goals, ", "))
	return b.String()
}
