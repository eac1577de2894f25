package elf

import (
	"fmt"
	"strings"

	"fencepost/internal/frontend/elf/lift"
)

// Functions with variable arguments. The System V ABI has the caller say in al how many arguments are in vector registers;
// the function begins by saving the registers of parameters, and the eight vector registers unless al is 0:
//
//	test al, al; je after; movaps [...], xmm0; ...; movaps [...], xmm7; after:
//
// al is one more parameter of such a function. Vector registers are not handed over: the first store of one is refused,
// if an execution gets there.

// vectorParams are the vector registers that hold arguments.
const vectorParams = 8

// findVariadic finds the stores of vector registers at the beginning of a function with variable arguments.
func (f *function) findVariadic(p *program) {
	if p.inC(f) {
		return
	}
	for i, in := range f.order {
		if i+2+vectorParams > len(f.order) || in.Inst == nil || in.Text != "test al, al" {
			continue
		}
		stores := f.order[i+2 : i+2+vectorParams]
		if branch := f.order[i+1]; branch.Inst == nil || branch.End != lift.Branch || !savesVectors(stores) {
			continue
		}
		f.variadic = true
		stores[0].refused, stores[0].code = stores[0].words()+": a parameter in a vector register is not supported", codeFlow
		return
	}
}

// savesVectors reports whether instructions store xmm0, xmm1 and so on.
func savesVectors(list []*inst) bool {
	for i, in := range list {
		if in.Inst == nil || !strings.HasPrefix(in.Text, "movaps xmmword ptr [") || !strings.HasSuffix(in.Text, fmt.Sprintf("], xmm%d", i)) {
			return false
		}
	}
	return true
}
