package types_test

import (
	"testing"

	"fencepost/internal/lang/c/types"
)

func array(t *types.Type, n int64) *types.Type { return types.ArrayOf(t, n) }

// TestString: types print as in the messages of gcc.
func TestString(t *testing.T) {
	i, c := types.Of(types.Int), types.Of(types.Char)
	for want, typ := range map[string]*types.Type{
		"int":                    i,
		"const int":              i.WithQual(types.Const),
		"int *":                  types.PointerTo(i),
		"int *[3]":               array(types.PointerTo(i), 3),
		"int (*)[3]":             types.PointerTo(array(i, 3)),
		"int (*)(char, int *)":   types.PointerTo(types.FunctionOf(i, []*types.Type{c, types.PointerTo(i)}, false)),
		"void (int, ...)":        types.FunctionOf(types.Of(types.Void), []*types.Type{i}, true),
		"unsigned long":          types.Of(types.ULong),
		"_Complex double":        types.ComplexOf(types.Of(types.Double)),
		"int [2][5]":             array(array(i, 5), 2),
		"int * volatile":         types.PointerTo(i).WithQual(types.Volatile),
		"int (*(*)(void))[4]":    types.PointerTo(types.FunctionOf(types.PointerTo(array(i, 4)), nil, false)),
		"char * const (*[7])[2]": array(types.PointerTo(array(types.PointerTo(c).WithQual(types.Const), 2)), 7),
	} {
		if got := typ.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCommon: the usual arithmetic conversions are symmetric, and have these results.
func TestCommon(t *testing.T) {
	for _, c := range []struct{ a, b, want types.Kind }{
		{types.Char, types.Short, types.Int},
		{types.UShort, types.Char, types.Int},
		{types.Int, types.UInt, types.UInt},
		{types.Long, types.UInt, types.Long},
		{types.Long, types.ULong, types.ULong},
		{types.Long, types.LongLong, types.LongLong},
		{types.ULong, types.LongLong, types.ULongLong},
		{types.Int128, types.ULongLong, types.Int128},
		{types.Float, types.ULongLong, types.Float},
		{types.Float, types.Double, types.Double},
		{types.LongDouble, types.Double, types.LongDouble},
		{types.Bool, types.Bool, types.Int},
	} {
		for _, got := range []*types.Type{types.Common(types.Of(c.a), types.Of(c.b)), types.Common(types.Of(c.b), types.Of(c.a))} {
			if got.Kind != c.want {
				t.Errorf("%s and %s: %s, want %s", types.Of(c.a), types.Of(c.b), got, types.Of(c.want))
			}
		}
	}
}

// TestComposite: compatible types have a composite type with what each of them knows, and others are not compatible.
func TestComposite(t *testing.T) {
	i := types.Of(types.Int)
	open, closed := array(i, types.Incomplete), array(i, 7)
	if !types.Compatible(open, closed) || types.Composite(open, closed).Len != 7 || types.Composite(closed, open).Len != 7 {
		t.Error("the length of an array is lost")
	}
	old := &types.Type{Kind: types.Function, Elem: i, OldStyle: true}
	of := func(params ...*types.Type) *types.Type { return types.FunctionOf(i, params, false) }
	if !types.Compatible(old, of(i)) || len(types.Composite(old, of(i)).Params) != 1 {
		t.Error("the parameters of a prototype are lost")
	}
	for _, c := range [][2]*types.Type{
		{i, types.Of(types.UInt)},
		{i, i.WithQual(types.Const)},
		{types.PointerTo(i), types.PointerTo(i.WithQual(types.Volatile))},
		{array(i, 3), array(i, 4)},
		{of(i), of(i, i)},
		{of(i), types.FunctionOf(i, []*types.Type{i}, true)},
		{old, of(types.Of(types.Char))}, // it is not what an argument of type char is promoted to
		{types.Of(types.Long), types.Of(types.LongLong)},
	} {
		if types.Compatible(c[0], c[1]) || types.Compatible(c[1], c[0]) {
			t.Errorf("%s and %s are compatible", c[0], c[1])
		}
	}
	if !types.Compatible(of(i), of(i.WithQual(types.Const))) {
		t.Error("qualifiers of parameters count")
	}
}
