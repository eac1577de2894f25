package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/source"
)

// BuiltinPrefix begins the names of what compilers know without a header.
const BuiltinPrefix = "__builtin_"

// Call is a call of a function of the library.
type Call struct {
	Name string
	Args []cc.ExpressionNode
	Node *cc.PostfixExpression
	Want bool // the result is used
}

// Function is a function of the library: its number of arguments and its translation.
type Function struct {
	Args  int // number of arguments, -1: any
	Lower func(f *Lowering, c *Call) Value
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
	"rand":                     "its values are not known: use __VERIFIER_nondet_uchar with __VERIFIER_assume",
	"random":                   "its values are not known: use __VERIFIER_nondet_uchar with __VERIFIER_assume",
	"rand_r":                   "its values are not known: use __VERIFIER_nondet_uchar with __VERIFIER_assume",
	"drand48":                  "its values are not known, and there is no floating point here",
	"lrand48":                  "its values are not known: use __VERIFIER_nondet_uchar with __VERIFIER_assume",
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

// Library is the functions that programs may call without defining them.
type Library struct {
	// Functions are translated here, by name.
	Functions map[string]Function
	// Sources are written in C. A file becomes part of the program when the program
	// mentions one of the functions it defines and has none of that name.
	Sources []*source.File
}
