package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Blocks beyond malloc and calloc, and the clock.

// blockAlign is what the addresses of blocks are multiples of.
const blockAlign = 16

// libAligned is aligned_alloc, memalign or posix_memalign.
func libAligned(f *lowering, c *libCall) value {
	n := len(c.args)
	var to lvalue
	if n == 3 {
		to = target(f, c.args[0])
	}
	align := f.exprs.integerOperand(c.args[n-2])
	if v, ok := f.data.constant(align.e); !ok {
		f.in.refuse(codeArgument, c.args[n-2], "the alignment must be a constant")
	} else if v <= 0 || v&(v-1) != 0 {
		f.in.refuse(codeArgument, c.args[n-2], "the alignment must be a power of two")
	} else if v > blockAlign {
		f.in.diags.Warnf(codeAlign, f.in.span(c.args[n-2]), "the address is a multiple of %d only, which matters to programs that look at it", blockAlign)
	}
	block := libMalloc(f, &libCall{name: c.name, args: []cc.ExpressionNode{c.args[n-1]}, node: c.node})
	if n == 2 {
		return block
	}
	f.mem.store(to, f.exprs.convert(block, to.typ, c.node), c.node)
	return zero()
}

// libClock gives a time, the same always: nothing here takes time.
func libClock(f *lowering, c *libCall) value {
	at := 1
	if c.name == "timespec_get" {
		at = 0
	}
	f.exprs.effect(c.args[1-at])
	f.in.diags.Warnf(codeClock, f.in.span(c.node), "the clock stands still here: it is always 0")
	to := wordAt(f, c.args[at])
	to.addr = f.lvals.save(integer(to.addr, ir.U64)).e
	f.mem.storeWord(to, ir.S64, ir.Int(0))
	f.mem.storeWord(f.mem.offset(to, 8), ir.S64, ir.Int(0))
	if at == 0 { // timespec_get returns its base
		return integer(ir.Int(1), ir.S32)
	}
	return zero()
}

// refused are functions that cannot be modelled, and why.
var refused = map[string]string{
	"pthread_cancel":           "a thread cannot be ended from outside here",
	"pthread_kill":             "there are no signals here",
	"pthread_atfork":           "there are no processes here",
	"fork":                     "there are no processes here",
	"vfork":                    "there are no processes here",
	"signal":                   "there are no signals here",
	"sigaction":                "there are no signals here",
	"raise":                    "there are no signals here",
	"setjmp":                   "a function cannot return twice here",
	"_setjmp":                  "a function cannot return twice here",
	"sigsetjmp":                "a function cannot return twice here",
	"__sigsetjmp":              "a function cannot return twice here",
	"longjmp":                  "a jump cannot leave its function here",
	"siglongjmp":               "a jump cannot leave its function here",
	"sem_open":                 "semaphores with names belong to processes, and there are none here",
	"atexit":                   "nothing runs at the end of the program here",
	"rand":                     "nobody knows its values: use __VERIFIER_nondet_uchar with __VERIFIER_assume",
	"random":                   "nobody knows its values: use __VERIFIER_nondet_uchar with __VERIFIER_assume",
	"rand_r":                   "nobody knows its values: use __VERIFIER_nondet_uchar with __VERIFIER_assume",
	"drand48":                  "nobody knows its values, and there is no floating point here",
	"lrand48":                  "nobody knows its values: use __VERIFIER_nondet_uchar with __VERIFIER_assume",
	"srand":                    "there are no random numbers here",
	"srandom":                  "there are no random numbers here",
	"getenv":                   "there is no environment here",
	"secure_getenv":            "there is no environment here",
	"setenv":                   "there is no environment here",
	"putenv":                   "there is no environment here",
	"unsetenv":                 "there is no environment here",
	"system":                   "there are no processes here",
	"quick_exit":               "use _exit",
	"at_quick_exit":            "nothing runs at the end of the program here",
	"on_exit":                  "nothing runs at the end of the program here",
	"atof":                     "there is no floating point here",
	"strtod":                   "there is no floating point here",
	"strtof":                   "there is no floating point here",
	"strerror":                 "there are no texts of errors here",
	"strsignal":                "there are no signals here",
	"strxfrm":                  "there is no locale here",
	"mblen":                    "there is no locale here",
	"mbstowcs":                 "there is no locale here",
	"mbtowc":                   "there is no locale here",
	"wcstombs":                 "there is no locale here",
	"wctomb":                   "there is no locale here",
	"alloca":                   "what it allocates lives until its function returns: use an array of variable length",
	"__builtin_alloca":         "what it allocates lives until its function returns: use an array of variable length",
	"__builtin_return_address": "there are no return addresses here",
	"__builtin_frame_address":  "there are no stack frames here",
	"__builtin_longjmp":        "a jump cannot leave its function here",
	"__builtin_setjmp":         "a function cannot return twice here",
	"sigprocmask":              "there are no signals here",
	"pthread_sigmask":          "there are no signals here",
	"sigwait":                  "there are no signals here",
	"alarm":                    "there are no signals here",
	"sem_close":                "semaphores with names belong to processes, and there are none here",
	"sem_unlink":               "semaphores with names belong to processes, and there are none here",
}
