package x86

import (
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/x86/word"
)

// Condition is a condition on flags, by its number in instructions: the lowest bit negates.
type Condition uint8

// conditionNames has the names of the conditions in the order of their numbers.
var conditionNames = strings.Split("o;no;b c nae;ae nb nc;e z;ne nz;be na;a nbe;s;ns;p pe;np po;l nge;ge nl;le ng;g nle", ";")

// ConditionNamed returns the condition that a suffix of an instruction names, such as nz.
func ConditionNamed(name string) (Condition, bool) {
	for n, names := range conditionNames {
		for _, s := range strings.Fields(names) {
			if s == name {
				return Condition(n), true
			}
		}
	}
	return 0, false
}

// String returns the name of a condition that assemblers use.
func (c Condition) String() string {
	name, _, _ := strings.Cut(conditionNames[c], " ")
	return name
}

// reads are the flags that the pairs of conditions read.
var reads = [8][]Flag{{OF}, {CF}, {ZF}, {CF, ZF}, {SF}, {PF}, {SF, OF}, {ZF, SF, OF}}

// Reads returns the flags that a condition reads.
func (c Condition) Reads() []Flag { return reads[c/2] }

// Holds returns the condition over flags, which are 0 or 1.
func (c Condition) Holds(flag func(Flag) *ir.Expr) *ir.Expr {
	var e *ir.Expr
	or := func(x *ir.Expr) {
		if e == nil {
			e = x
		} else {
			e = ir.Binary(ir.LOr, ir.S64, e, x)
		}
	}
	for _, f := range c.Reads() {
		switch {
		case c < 12 || f == ZF:
			or(word.Ne(flag(f), ir.Int(0)))
		case f == SF:
			or(word.Ne(flag(SF), flag(OF)))
		}
	}
	if c&1 == 1 {
		return ir.Negate(e)
	}
	return e
}
