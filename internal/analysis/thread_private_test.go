package analysis

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/ir"
)

func TestPrivateObject(t *testing.T) {
	tests := []struct{ name, f, g, threads, want string }{
		{"one each", "store [&x] = 1", "store [&y] = 1", "thread f\nthread g", "x=f y=g z=-"},
		{"shared", "store [&x] = 1", "r = load [&x]", "thread f\nthread g", "x=- y=- z=-"},
		{"neighbours", "store [&y] = 1", "r = load [&y+8]", "thread f\nthread g", "x=- y=- z=-"},
		{"one function twice", "store [&x] = 1", "nop", "thread f\nthread f2 = f", "x=- y=- z=-"},
		{"unbounded", "store [&x] = 1", "store [&y] = 1", "thread f unbounded\nthread g", "x=- y=g z=-"},
		{"escapes", "store [&x] = &y", "r = load [&y]", "thread f\nthread g", "x=f y=- z=-"},
		{"escapes into an assignment", "r = &x", "store [&x] = 1", "thread f\nthread g", "x=- y=- z=-"},
		{"unknown", "store [&x] = 1", "r = load [r]", "thread f\nthread g", "x=- y=- z=-"},
		{"held to an object", "store [&x] = 1", "r = load [&y + r] in y", "thread f\nthread g", "x=f y=g z=-"},
		{"heap blocks", "store [&x] = 1", "free [r]", "thread f\nthread g", "x=f y=- z=-"},
		{"idle function", "store [&x] = 1", "r = load [r]", "thread f", "x=f y=- z=-"},
		{"waiting", "condwait [&x] mutex [&y]", "nop", "thread f\nthread g", "x=f y=f z=-"},
	}
	for _, tt := range tests {
		p, fs := factsOf(t, fmt.Sprintf("object x\nobject y size 16\nobject z\nfunc f {\n reg r\n a -> b: %s\n}\nfunc g {\n reg r\n a -> b: %s\n}\n%s\n", tt.f, tt.g, tt.threads), nil)
		var all []string
		for o := range p.Objects {
			owner := "-"
			if id, ok := fs.PrivateObject(ir.ObjectID(o)); ok {
				owner = p.Threads[id].Name
			}
			all = append(all, p.Objects[o].Name+"="+owner)
		}
		if got := strings.Join(all, " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
