package memory_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// TestUndoAndEncode walks random programs at random: undoing a step restores
// everything, and a state survives encoding, with the same steps enabled.
func TestUndoAndEncode(t *testing.T) {
	for seed := range uint64(600) {
		pr := testkit.Profiles[seed%uint64(len(testkit.Profiles))]
		p, _ := testkit.Generate(seed, pr).Flat()
		for _, m := range testkit.Models {
			keepAll := func(ir.ThreadID, ir.Reg) bool { return true }
			y := memory.New(p, m, memory.Options{Keep: keepAll})
			walk(t, y, rand.New(rand.NewPCG(seed, uint64(m))), seed)
		}
	}
}

// TestMarkers: reusing a block between two pending frees leaves no fence after
// that nothing can remove.
func TestMarkers(t *testing.T) {
	text, err := os.ReadFile("../../testdata/regress/reuse-between-frees.ir")
	if err != nil {
		t.Fatal(err)
	}
	p, diags := irtext.Parse("test.ir", text)
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(p, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(200) {
		walk(t, memory.New(flat, memory.PSO, memory.Options{}), rand.New(rand.NewPCG(seed, 9)), seed)
	}
}

// checkBuffers: fences stand only between entries, and only under PSO.
func checkBuffers(t *testing.T, y *memory.System, s *memory.State) {
	for i := range y.Prog.Threads {
		last := memory.Marker
		for _, e := range s.Buffer(ir.ThreadID(i)) {
			if e.Kind == memory.Marker && (last == memory.Marker || y.Model != memory.PSO) {
				t.Fatalf("%s: misplaced marker in %+v", y.Model, s.Buffer(ir.ThreadID(i)))
			}
			last = e.Kind
		}
	}
}

func walk(t *testing.T, y *memory.System, r *rand.Rand, seed uint64) {
	s, twin := y.NewState(), y.NewState()
	for range 60 {
		checkBuffers(t, y, s)
		steps := y.Enabled(s, nil)
		if len(steps) == 0 {
			return
		}
		for _, st := range steps {
			before := s.Dump()
			mark := s.Mark()
			y.Apply(s, st)
			s.Undo(mark)
			if after := s.Dump(); after != before {
				t.Fatalf("seed %d, %s: undo of %+v:\n%s\n%s", seed, y.Model, st, before, after)
			}
		}
		code := y.Codec().Encode(s, nil)
		y.Codec().Decode(twin, code)
		if again := y.Codec().Encode(twin, nil); !slices.Equal(code, again) {
			t.Fatalf("seed %d, %s: %v encodes again as %v", seed, y.Model, code, again)
		}
		if got := y.Enabled(twin, nil); !slices.Equal(steps, got) {
			t.Fatalf("seed %d, %s: steps %v, after decoding %v", seed, y.Model, steps, got)
		}
		st := steps[r.IntN(len(steps))]
		y.Apply(s, st)
		if _, failed := s.Fault(); failed || s.Over() {
			return
		}
	}
}

// TestCompiledExpressions holds compiled expressions against their definition.
func TestCompiledExpressions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	types := []ir.Type{ir.S8, ir.U8, ir.S16, ir.U16, ir.S32, ir.U32, ir.S64, ir.U64}
	values := []int64{0, 1, -1, 2, 7, 8, 63, 64, 255, 256, -128, 1 << 31, -1 << 31, 1<<63 - 1, -1 << 63}
	p := &ir.Program{Form: ir.Flat, Objects: []ir.Object{{Name: "x", Addr: 4096, Size: 64}}}
	var gen func(depth int) *ir.Expr
	gen = func(depth int) *ir.Expr {
		typ := types[r.IntN(len(types))]
		if depth == 0 || r.IntN(4) == 0 {
			switch r.IntN(4) {
			case 0:
				return ir.R(ir.Reg(r.IntN(3)))
			case 1:
				return ir.SeenValue()
			case 2:
				return ir.Addr(0, int64(r.IntN(8)))
			default:
				return ir.Int(values[r.IntN(len(values))])
			}
		}
		switch r.IntN(8) {
		case 6:
			return ir.Unary(ir.FNeg+ir.ExprOp(r.IntN(int(ir.FloatToFloat-ir.FNeg)+1)), ir.F32, gen(depth-1))
		case 7:
			return ir.Unary(ir.FloatToInt, typ, ir.Binary(ir.FAdd+ir.ExprOp(r.IntN(int(ir.FGe-ir.FAdd)+1)), ir.F64, gen(depth-1), gen(depth-1)))
		case 0:
			return ir.Unary([]ir.ExprOp{ir.Neg, ir.BitNot, ir.Not, ir.Cast}[r.IntN(4)], typ, gen(depth-1))
		case 1:
			return ir.Conditional(gen(depth-1), gen(depth-1), gen(depth-1))
		default:
			return ir.Binary(ir.Add+ir.ExprOp(r.IntN(int(ir.LOr-ir.Add)+1)), typ, gen(depth-1), gen(depth-1))
		}
	}
	for range 20000 {
		e := gen(4)
		regs := []int64{values[r.IntN(len(values))], values[r.IntN(len(values))], r.Int64()}
		seen := values[r.IntN(len(values))]
		c := memory.Compile(p, e)
		want := e.Eval(ir.Env{Regs: regs, Seen: seen, Prog: p})
		if got := c.Eval(regs, seen); got != want {
			t.Fatalf("%s: compiled %d, defined %d", irtext.FormatExpr(p, nil, e), got, want)
		}
	}
}

// TestNormalForm: the order in which commuting entries come does not matter, and
// entries that overlap keep theirs.
func TestNormalForm(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 5000 {
		var word []memory.Entry
		for i := range 2 + r.IntN(6) {
			e := memory.Entry{Kind: memory.StoreEntry, Addr: uint64(r.IntN(12)), Size: 1 << r.IntN(3), Tag: int32(i)}
			if r.IntN(8) == 0 {
				e = memory.Entry{Kind: memory.Marker, Tag: int32(i)}
			}
			word = append(word, e)
		}
		normal := normalize(word)
		if !memory.IsNormal(normal) {
			t.Fatalf("%v is not normal", normal)
		}
		// Swap commuting neighbours at random: the same class, the same form.
		other := slices.Clone(word)
		for range 20 {
			if i := r.IntN(len(other) - 1); !memory.Dependent(&other[i], &other[i+1]) {
				other[i], other[i+1] = other[i+1], other[i]
			}
		}
		if got := normalize(other); !slices.Equal(got, normal) {
			t.Fatalf("%v and %v are equal up to commutation but become %v and %v", word, other, normal, got)
		}
		for i, a := range word {
			for _, b := range word[i+1:] {
				if memory.Dependent(&a, &b) && slices.Index(normal, a) > slices.Index(normal, b) {
					t.Fatalf("%v lost the order of %v and %v", normal, a, b)
				}
			}
		}
	}
}

func normalize(word []memory.Entry) []memory.Entry {
	var out []memory.Entry
	for _, e := range word {
		out = memory.Insert(out, memory.NormalPosition(out, e), e)
	}
	return out
}

func BenchmarkApplyUndo(b *testing.B) {
	p, _ := testkit.Generate(3, testkit.Profile{Plain: true}).Flat()
	y := memory.New(p, memory.TSO, memory.Options{})
	s := y.NewState()
	var steps []memory.Step
	b.ReportAllocs()
	for range b.N {
		steps = y.Enabled(s, steps[:0])
		for _, st := range steps {
			mark := s.Mark()
			y.Apply(s, st)
			s.Undo(mark)
		}
	}
}
