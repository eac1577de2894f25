package fp

import (
	"strings"
	"testing"

	"fencepost/internal/frontend/statement"
	"fencepost/internal/source"
)

// BenchmarkParse is the cost per statement of a large program. Cost must follow the
// size: the two sizes are to take the same time per statement.
func BenchmarkParse(b *testing.B) {
	for _, c := range []struct {
		name       string
		statements int
	}{{"10k", 10_000}, {"1M", 1_000_000}} {
		text := []byte("var x;\nthread t {\nreg r;\n" + strings.Repeat("skip;\n", c.statements) + "}\n")
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				if u, list := Parse(source.NewFile("b.fp", text), statement.Options{}); u.Program == nil {
					b.Fatalf("%+v", list.All)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.statements), "ns/stmt")
		})
	}
}
