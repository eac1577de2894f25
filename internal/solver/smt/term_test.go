package smt

import (
	"slices"
	"strings"
	"testing"
)

func TestTermsAsText(t *testing.T) {
	x, y, c := Constant("x", Vector(8)), Constant("y", Vector(8)), Constant("c", Bool)
	m := Constant("m", Array(Vector(8), Vector(16)))
	n, double := Constant("n", Integer), Constant("double", Integer)
	twice := Defined("twice", Apply(Add, n, n), n)
	for want, got := range map[string]Term{
		"(bvadd x y)":                         Apply(VectorAdd, x, y),
		"(- n)":                               Apply(Subtract, n),
		"(- 5)":                               Number(-5, Integer),
		"(- 9223372036854775808)":             Number(-1<<63, Integer),
		"18446744073709551616":                PowerOfTwo(64),
		"18446744073709551615":                Unsigned(1<<64 - 1),
		"#xff":                                Bits(-1, 8),
		"#b101":                               Bits(13, 3),
		"#x8000000000000000":                  Bits(-1<<63, 64),
		"true":                                And(),
		"false":                               Or(),
		"c":                                   And(c),
		"(and c (= x y))":                     And(c, Equals(x, y)),
		"(not c)":                             Not(c),
		"(=> c (bvult x y))":                  Implies(c, Apply(LessUnsigned, x, y)),
		"(ite c x y)":                         If(c, x, y),
		"((_ extract 7 4) x)":                 Extract(7, 4, x),
		"((_ sign_extend 56) x)":              Extend(x, 56, true),
		"(concat x y x)":                      Concatenate(x, y, x),
		"(select m x)":                        Select(m, x),
		"(store m x ((_ zero_extend 8) y))":   Store(m, x, Extend(y, 8, false)),
		"((as const (Array Int Bool)) false)": Filled(Array(Integer, Bool), False),
		"(twice double)":                      twice.Apply(double),
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for want, got := range map[string]Command{
		"(declare-const m (Array (_ BitVec 8) (_ BitVec 16)))": Declare(m),
		"(define-fun twice ((n Int)) Int (+ n n))":             twice.Command,
		"(define-fun double () Int (twice n))":                 Define(double, twice.Apply(n)),
		"(declare-fun f (Int Bool) Real)":                      Uninterpreted("f", Real, Integer, Bool).Command,
		"(assert c)":                                           Assert(c),
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestWrongSorts: no constructor makes a term of parts that do not fit.
func TestWrongSorts(t *testing.T) {
	x, wide, n, c := Constant("x", Vector(8)), Constant("w", Vector(9)), Constant("n", Integer), Constant("c", Bool)
	m := Constant("m", Array(Integer, Vector(8)))
	for name, construct := range map[string]func(){
		"lengths":         func() { Apply(VectorAdd, x, wide) },
		"kinds":           func() { Apply(Add, x, x) },
		"mixed":           func() { Apply(Less, n, x) },
		"and":             func() { And(c, x) },
		"not":             func() { Not(n) },
		"implies":         func() { Implies(c, n) },
		"equals":          func() { Equals(x, wide) },
		"if":              func() { If(n, x, x) },
		"branches":        func() { If(c, x, n) },
		"index":           func() { Select(m, x) },
		"value":           func() { Store(m, n, wide) },
		"no array":        func() { Select(n, n) },
		"filled":          func() { Filled(Array(Integer, Bool), n) },
		"concatenate":     func() { Concatenate(x, n) },
		"extract":         func() { Extract(8, 0, x) },
		"extend":          func() { Extend(n, 8, true) },
		"argument":        func() { Uninterpreted("f", Integer, Integer).Apply(c) },
		"arguments":       func() { Uninterpreted("f", Integer, Integer).Apply(n, n) },
		"number":          func() { Number(1, Bool) },
		"definition":      func() { Define(c, n) },
		"declared a term": func() { Declare(Not(c)) },
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "BUG: ") {
					t.Errorf("%s: %q", name, text)
				}
			}()
			construct()
		}()
	}
}

// TestPartsOfTerms: what a term is made of is read from the term.
func TestPartsOfTerms(t *testing.T) {
	x, c := Constant("x", Vector(8)), Constant("c", Bool)
	if short, signed, ok := Extend(x, 8, true).Extension(); !ok || !signed || !short.Equal(x) {
		t.Errorf("%v %v %v", short, signed, ok)
	}
	if _, _, ok := If(c, Extend(x, 8, true), Extend(x, 8, true)).Extension(); ok {
		t.Error("a choice is no extension")
	}
	if v, ok := Bits(-2, 8).VectorValue(); !ok || v != 0xfe {
		t.Errorf("%d %v", v, ok)
	}
	if _, ok := x.VectorValue(); ok {
		t.Error("a constant has no value")
	}
	var names []string
	If(c, x, Apply(VectorAdd, x, Bits(1, 8))).Symbols(func(name string) { names = append(names, name) })
	slices.Sort(names)
	if names = slices.Compact(names); !slices.Equal(names, []string{"c", "x"}) {
		t.Errorf("constants %q", names)
	}
	if !Not(c).Equal(Not(Constant("c", Bool))) || Not(c).Equal(c) || c.Equal(Term{}) || !(Term{}).Equal(Term{}) || !Not(True).IsFalse() {
		t.Error("terms are compared wrongly")
	}
	if !Same([]Term{c, x}, []Term{c, x}) || Same([]Term{c, x}, []Term{x, c}) || Same([]Term{c}, nil) {
		t.Error("lists are compared wrongly")
	}
}
