package litmus

import (
	"fmt"
	"strings"
)

// arch is an architecture. The zero value is unset.
type arch uint8

const (
	_ arch = iota
	arch32
	arch64
	archC
)

func (a arch) String() string {
	switch a {
	case arch32:
		return "X86"
	case arch64:
		return "X86_64"
	case archC:
		return "C"
	default:
		return fmt.Sprintf("arch(%d)", a)
	}
}

// word is the size of an address in bytes.
func (a arch) word() int {
	if a == arch32 {
		return 4
	}
	return 8
}

// part is which bits of a register a name stands for. The zero value is unset.
type part uint8

const (
	_ part = iota
	part64
	part32
	part16
	part8  // bits 0 to 7
	part8h // bits 8 to 15
)

// size of a part in bytes.
func (p part) size() int {
	switch p {
	case part64:
		return 8
	case part32:
		return 4
	case part16:
		return 2
	case part8, part8h:
		return 1
	default:
		panic("BUG: unknown part of a register")
	}
}

// register is a name of an architectural register or of a part of it.
type register struct {
	num  int // herd's order: ax bx cx dx si di bp sp r8 ... r15
	part part
}

// The old registers, by number.
var oldRegisters = []string{"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"}

const (
	regAX  = 0
	regSP  = 7
	numReg = 16
)

// registerNamed finds a register of X86_64 by its lower-case name; X86 has a subset.
func registerNamed(name string) (register, bool) {
	for n := range numReg {
		for p := part64; p <= part8h; p++ {
			if r := (register{n, p}); (p != part8h || n < 4) && r.name() == name {
				return r, true
			}
		}
	}
	return register{}, false
}

// name of the register in lower case.
func (r register) name() string {
	if r.num > regSP {
		return fmt.Sprintf("r%d%s", r.num, [...]string{part64: "", part32: "d", part16: "w", part8: "b", part8h: ""}[r.part])
	}
	old := oldRegisters[r.num]
	switch r.part {
	case part64:
		return "r" + old
	case part32:
		return "e" + old
	case part16:
		return old
	case part8h:
		return old[:1] + "h"
	case part8:
		if r.num < 4 {
			return old[:1] + "l"
		}
		return old + "l"
	default:
		panic("BUG: unknown part of a register")
	}
}

// show is how herd writes the register.
func (a arch) show(r register) string {
	if a == arch32 {
		return strings.ToUpper(r.name())
	}
	return r.name()
}

// register finds a register by its name, in upper or lower case.
func (a arch) register(name string) (register, bool) {
	if len(name) > 4 {
		return register{}, false
	}
	r, ok := registerNamed(strings.ToLower(name))
	if ok && a == arch32 && (r.num > regSP || r.part == part64 || r.part == part8 && r.num > 3) {
		return register{}, false
	}
	return r, ok
}

// whole is the full register r is a part of.
func (a arch) whole(r register) register {
	if a == arch32 {
		return register{r.num, part32}
	}
	return register{r.num, part64}
}
