package cunit

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Blocks beyond malloc and calloc, and the clock.

// blockAlign is what the addresses of blocks are multiples of.
const blockAlign = 16

// libAligned is aligned_alloc, memalign or posix_memalign.
func (f *lowering) libAligned(c *libCall) value {
	n := len(c.args)
	var to lvalue
	if n == 3 {
		to = f.target(c.args[0])
	}
	align := f.integerOperand(c.args[n-2])
	if v, ok := f.constant(align.e); !ok {
		f.refuse(codeArgument, c.args[n-2], "the alignment must be a constant")
	} else if v <= 0 || v&(v-1) != 0 {
		f.refuse(codeArgument, c.args[n-2], "the alignment must be a power of two")
	} else if v > blockAlign {
		f.diags.Warnf(codeAlign, f.span(c.args[n-2]), "the address is a multiple of %d only, which matters to programs that look at it", blockAlign)
	}
	block := f.libMalloc(&libCall{name: c.name, args: []cc.ExpressionNode{c.args[n-1]}, node: c.node})
	if n == 2 {
		return block
	}
	f.store(to, f.convert(block, to.typ, c.node), c.node)
	return zero()
}

// libClock gives a time, the same always: nothing here takes time.
func (f *lowering) libClock(c *libCall) value {
	at := 1
	if c.name == "timespec_get" {
		at = 0
	}
	f.effect(c.args[1-at])
	f.diags.Warnf(codeClock, f.span(c.node), "the clock stands still here: it is always 0")
	to := f.wordAt(c.args[at])
	to.addr = f.save(integer(to.addr, ir.U64)).e
	f.storeWord(to, ir.S64, ir.Int(0))
	f.storeWord(f.offset(to, 8), ir.S64, ir.Int(0))
	if at == 0 { // timespec_get returns its base
		return integer(ir.Int(1), ir.S32)
	}
	return zero()
}

// refused are functions that cannot be modelled, and why.
var refused = map[string]string{
	"pthread_cancel": "a thread cannot be ended from outside here",
	"pthread_kill":   "there are no signals here",
	"pthread_atfork": "there are no processes here",
	"fork":           "there are no processes here",
	"vfork":          "there are no processes here",
	"signal":         "there are no signals here",
	"sigaction":      "there are no signals here",
	"raise":          "there are no signals here",
	"setjmp":         "a function cannot return twice here",
	"_setjmp":        "a function cannot return twice here",
	"sigsetjmp":      "a function cannot return twice here",
	"__sigsetjmp":    "a function cannot return twice here",
	"longjmp":        "a jump cannot leave its function here",
	"siglongjmp":     "a jump cannot leave its function here",
	"sem_open":       "semaphores with names belong to processes, and there are none here",
	"atexit":         "nothing runs at the end of the program here",
	"rand":           "nobody knows its values: use __VERIFIER_nondet_uchar with __VERIFIER_assume",
	"random":         "nobody knows its values: use __VERIFIER_nondet_uchar with __VERIFIER_assume",
	"getenv":         "there is no environment here",
}
