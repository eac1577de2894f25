package analysis

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/ir"
)

func TestSpinLoops(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"spin", "h -> b: r = load [&x]\n b -> h: assume r == 0\n b -> e: assume r != 0", "h[0 1]"},
		{"result used after", "h -> b: r = load [&x]\n b -> h: assume r == 0\n b -> e: assume r != 0\n e -> f: return r", "h[0 1]"},
		{"counter", "h -> b: r = load [&x]\n b -> c: s = s + 1\n c -> h: assume r == 0\n c -> e: assume r\n e -> f: return s", ""},
		{"counter that nothing reads", "h -> b: r = load [&x]\n b -> c: s = s + 1\n c -> h: assume r == 0\n c -> e: assume r", "h[0 1 2]"},
		{"counter used after", "h -> b: s = s + 1\n b -> h: nop\n h -> e: return s", ""},
		{"store", "h -> b: r = load [&x]\n b -> c: store [&x] = 1\n c -> h: assume r == 0\n c -> e: assume r", ""},
		{"rmw", "h -> b: r = rmw.xchg [&x], 1\n b -> h: assume r\n b -> e: assume !r", ""},
		{"two variables", "h -> b: r = load [&x]\n b -> c: s = load [&x]\n c -> h: assume r && s\n c -> e: assume !r", "h[0 1 2]"},
		{"idle round of a busy loop", "h -> b: r = load [&x]\n b -> h: assume r\n b -> c: assume !r\n c -> h: store [&x] = 1", "h[0 1]"},
		{"two idle rounds", "h -> b: r = load [&x]\n b -> h: assume r == 1\n b -> h: assume r == 2\n b -> e: assume !r", "h[0 1 2]"},
		{"self loop", "h -> h: nop\n h -> e: nop", "h[0]"},
		{"nested", "h -> b: r = load [&x]\n b -> c: s = load [&x]\n c -> b: assume s\n c -> h: assume r\n c -> e: nop", "h[0 1 2 3] b[1 2]"},
		{"two entries", "h -> a: nop\n h -> b: nop\n a -> b: nop\n b -> a: nop", ""},
		{"dead code into the loop", "h -> b: r = load [&x]\n b -> h: assume r\n u -> b: store [&x] = 1", "h[0 1]"},
		{"live at the head", "h -> b: r = load [&x]\n b -> h: assume r\n h -> e: return r", ""},
	}
	for _, tt := range tests {
		p, fs := factsOf(t, "object x\nfunc f {\n reg r, s\n "+tt.body+"\n}\nthread f\n", nil)
		var all []string
		for _, loop := range fs.SpinLoops(0) {
			all = append(all, fmt.Sprint(p.Funcs[0].Locs[loop.Head].Name, loop.Edges))
		}
		if got := strings.Join(all, " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	_, fs := factsOf(t, "object x\nfunc f {\n reg r, s\n "+tests[0].body+"\n}\nthread f\n", func(ir.FuncID, ir.Reg) bool { return true })
	if loops := fs.SpinLoops(0); len(loops) != 0 {
		t.Errorf("observed registers: %v", loops)
	}
}
