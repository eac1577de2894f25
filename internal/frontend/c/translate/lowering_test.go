package translate

import (
	"reflect"
	"testing"
)

// TestParts holds the fields of the parts against the layers that lowering.go names: a part holds parts of lower layers,
// in the last one also its peers, and embeds nothing.
func TestParts(t *testing.T) {
	of := func(v any) reflect.Type { return reflect.TypeOf(v).Elem() }
	layer := map[reflect.Type]int{
		of(&Typing{}): 1, of(&staticData{}): 1, of(&ThreadEnds{}): 1, of(&Layouts{}): 2, of(&Symbols{}): 3,
		of(&Code{}): 4, of(&siteMarks{}): 5, of(&Arithmetic{}): 5, of(&Accesses{}): 6, of(&Storage{}): 7,
	}
	const last = 8
	for _, p := range []any{&Expressions{}, &Lvalues{}, &Atomics{}, &Calls{}, &Initialisers{}, &Statements{}, &asmBlock{}} {
		layer[of(p)] = last
	}
	whole, compiler := of(&Lowering{}), of(&Compiler{})
	for p, at := range layer {
		for i := range p.NumField() {
			f := p.Field(i)
			held := f.Type
			if held.Kind() == reflect.Pointer {
				held = held.Elem()
			}
			below, isPart := layer[held]
			switch {
			case f.Anonymous:
				t.Errorf("%s embeds %s", p, f.Name)
			case held == compiler, held == whole && p != of(&Calls{}):
				t.Errorf("%s holds %s", p, held)
			case isPart && below >= at && at != last:
				t.Errorf("%s holds %s, which is no lower layer", p, held)
			}
		}
	}
}
