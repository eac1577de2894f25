package elf

import (
	"strings"
	"testing"

	"fencepost/internal/ir"
)

const queueProgram = `#include <pthread.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
struct queue { struct node *head, *tail; volatile int flag[2]; } q;
static void *work(void *a) {
  struct node *n = malloc(sizeof *n);
  n->next = q.head;
  q.flag[1] = 1;
  q.head = n;
  return 0;
}
int main(void) { pthread_t t; return pthread_create(&t, 0, work, 0); }
`

// TestNames: answers have the names of variables, of their parts and of the parts of blocks, and the lines of the
// source, from both versions of the debug information; without it, the names of symbols and offsets.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		flags, line, variable, block string
	}{
		{"-O2 -gdwarf-4", "a.c:8: mov dword ptr [q+20], 0x1", "q.flag[1]", "next"},
		{"-O2 -gdwarf-5", "a.c:8: mov dword ptr [q+20], 0x1", "q.flag[1]", "next"},
		{"-O0 -gdwarf-4", "a.c:8: mov dword ptr [q+20], 0x1", "q.flag[1]", "next"},
		{"-O2 -gdwarf-5 -gz", "a.c:8: mov dword ptr [q+20], 0x1", "q.flag[1]", "next"},
		{"-O2", "  mov dword ptr [q+20], 0x1", "q[2].bytes[4..7]", ""},
	} {
		u, diags := parse(compiled(t, queueProgram, strings.Fields(c.flags)...))
		if u.Program == nil {
			t.Errorf("%s: %q", c.flags, diags)
			continue
		}
		if text := string(u.Listing.Text); !strings.Contains(text, c.line) || strings.Contains(text, "[rip") {
			t.Errorf("%s: no %q in\n%s", c.flags, c.line, text)
		}
		for _, o := range u.Program.Objects {
			if got := u.Program.LocationName(o.Addr+20, 4); o.Name == "q" && got != c.variable {
				t.Errorf("%s: %s, want %s", c.flags, got, c.variable)
			}
		}
		block := ""
		for _, f := range u.Program.Funcs {
			for i := range f.Edges {
				if l := f.Edges[i].Op.Block.Layout; f.Edges[i].Op.Kind == ir.Alloc && l != nil && len(l.Fields) == 2 {
					block = l.Fields[1].Name
				}
			}
		}
		if block != c.block {
			t.Errorf("%s: the second part of the block is %q, want %q", c.flags, block, c.block)
		}
	}
}

// TestBlockNames: the parts of a block have names only if nothing else of its size can be in it.
func TestBlockNames(t *testing.T) {
	for more, want := range map[string]string{
		"": "next", "int *numbers;": "", "char *text;": "", "void *any;": "next", "struct two { char a[2], b; } *threes;": "next",
		"struct pair { int a, b; } *pairs;": "", "struct twin { long a, b; } *twins;": "", "long **rows;": "",
	} {
		u, diags := parse(compiled(t, queueProgram+more, "-O1", "-g"))
		if u.Program == nil {
			t.Fatal(diags)
		}
		got := ""
		for _, f := range u.Program.Funcs {
			for i := range f.Edges {
				if l := f.Edges[i].Op.Block.Layout; f.Edges[i].Op.Kind == ir.Alloc && l != nil && len(l.Fields) == 2 {
					got = l.Fields[1].Name
				}
			}
		}
		if got != want {
			t.Errorf("with %q, the second part of the block is %q, want %q", more, got, want)
		}
	}
}

// TestShortNames: names of C++, and both kinds of names of Rust, are shown as people write them.
func TestShortNames(t *testing.T) {
	for name, want := range map[string]string{
		"counter":               "counter",
		"_ZN5queueIiE4pushERKi": "queue::push",
		"_ZN4core3ptr13drop_in_place17h0123456789abcdefE":   "core::ptr::drop_in_place",
		"_RNvNtCs1234_7mycrate3foo3bar":                     "mycrate::foo::bar",
		"_RNvMs_NtCs4fqI2P2rA04_5queue4ringNtB4_4Ring4push": "<queue::ring::Ring>::push",
		"_Zbroken": "_Zbroken",
		"_Rbroken": "_Rbroken",
	} {
		if got := shortName(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestAtomicNames: variables with _Atomic and parts of them have the names of the source, in both versions of the debug
// information, in objects and in executables.
func TestAtomicNames(t *testing.T) {
	const text = `struct pair { int a, b; }; struct s { _Atomic int q[2]; _Atomic(struct pair *) p; _Atomic struct pair w; } s; _Atomic int arr[3];
int main(void) { s.q[1] = 1; arr[2] = 1; s.p = 0; return 0; }
`
	for _, flags := range []string{"-O1 -gdwarf-5", "-O1 -gdwarf-4", "-O0 -g"} {
		u, diags := parse(compiled(t, text, strings.Fields(flags)...))
		if u.Program == nil {
			t.Fatal(diags)
		}
		found := 0
		for _, o := range u.Program.Objects {
			for _, c := range []struct {
				name string
				off  uint64
				size int
				want string
			}{{"s", 4, 4, "s.q[1]"}, {"s", 8, 8, "s.p"}, {"s", 20, 4, "s.w.b"}, {"arr", 8, 4, "arr[2]"}} {
				if o.Name != c.name {
					continue
				}
				found++
				if got := u.Program.LocationName(o.Addr+c.off, c.size); got != c.want {
					t.Errorf("%s: %s, want %s", flags, got, c.want)
				}
			}
		}
		if found != 4 {
			t.Errorf("%s: %d variables", flags, found)
		}
	}
}

// TestLocalNames: variables on the stack, members of base classes and atomics of C++ have the names of the source.
func TestLocalNames(t *testing.T) {
	const text = `#include <atomic>
#include <thread>
struct base { int first; };
struct queue : base { std::atomic<long> bottom{0}; std::atomic<bool> full{false}; std::atomic<int *> top{nullptr}; int items[4]; } global;
void use(queue *);
int main() {
  queue q;
  int count = 0;
  std::thread t([&] { q.bottom.store(1); q.items[2] = count; });
  q.top.load();
  t.join();
  count++;
}
`
	offsets := map[string]int64{".first": 0, ".bottom": 8, ".full": 16, ".top": 24, ".items[2]": 40}
	sizes := map[string]int64{".first": 4, ".bottom": 8, ".full": 1, ".top": 8, ".items[2]": 4}
	for _, flags := range []string{"-O2 -g", "-O0 -g", "-O2 -gdwarf-4"} {
		u, diags := parse(compiledBy(t, "g++", "a.cc", text, strings.Fields(flags)...))
		if u.Program == nil {
			t.Fatal(diags)
		}
		var frame *ir.Layout
		for _, f := range u.Program.Funcs {
			for i := range f.Edges {
				if op := &f.Edges[i].Op; op.Kind == ir.Alloc && op.Block.Name == "main.frame" {
					frame = op.Block.Layout
				}
			}
		}
		if frame == nil {
			t.Errorf("%s: the frame of main has no names", flags)
			continue
		}
		found := 0
		for _, f := range frame.Fields {
			switch f.Name {
			case "count":
				found++
			case "q":
				found++
				for want, off := range offsets {
					if got, _ := f.Layout.Part(off, sizes[want]); got != want {
						t.Errorf("%s: byte %d of q is %q, want %q", flags, off, got, want)
					}
				}
			}
		}
		if found != 2 {
			t.Errorf("%s: %d of the variables q and count in %v", flags, found, frame)
		}
	}
}
