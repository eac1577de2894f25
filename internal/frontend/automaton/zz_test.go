package automaton

import (
	"fmt"
	"os"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

func TestZZ(t *testing.T) {
	for _, n := range []string{"dekker", "peterson", "mp"} {
		b, _ := os.ReadFile("../../../examples/" + n + ".fp")
		u, l := Parse(source.NewFile(n+".fp", b), Options{})
		for _, d := range l.All {
			fmt.Println(d.Code, d.Span.Pos, d.Message, d.Notes)
		}
		if u.Program != nil {
			fmt.Println(ir.Print(u.Program))
			fmt.Printf("%+v %q\n", u.Props, u.Expect)
		}
	}
}
