package translate

import (
	"sync"

	"fencepost/internal/lang/c/parse"

	"fencepost/internal/source"
)

// BuiltinPrefix begins the names of what compilers know without a header.
const BuiltinPrefix = "__builtin_"

// Call is a call of a function of the library.
type Call struct {
	Name string
	Args []*parse.Expr
	Node *parse.Expr
	Want bool // the result is used
}

// Function is a function of the library: its number of arguments and its translation.
type Function struct {
	Args  int // number of arguments, -1: any
	Lower func(f *Lowering, c *Call) Value
}

// refused are functions that cannot be modelled, and why.
var refused = map[string]string{
	"pthread_cancel":            "ending a thread from another thread is not modelled",
	"pthread_kill":              "signals are not modelled",
	"pthread_atfork":            "processes are not modelled",
	"fork":                      "processes are not modelled",
	"vfork":                     "processes are not modelled",
	"raise":                     "signals are not modelled",
	"setjmp":                    "a function that returns twice is not modelled",
	"_setjmp":                   "a function that returns twice is not modelled",
	"sigsetjmp":                 "a function that returns twice is not modelled",
	"__sigsetjmp":               "a function that returns twice is not modelled",
	"longjmp":                   "a jump out of a function is not modelled",
	"siglongjmp":                "a jump out of a function is not modelled",
	"sem_open":                  "named semaphores are shared by processes, which are not modelled",
	"drand48":                   "its values are not known",
	"setenv":                    "environment variables are not modelled",
	"putenv":                    "environment variables are not modelled",
	"unsetenv":                  "environment variables are not modelled",
	"system":                    "processes are not modelled",
	"on_exit":                   "functions that run at the end of the program are not modelled",
	"atof":                      "reading floating point is not modelled",
	"strtod":                    "reading floating point is not modelled",
	"strtof":                    "reading floating point is not modelled",
	"strsignal":                 "signals are not modelled",
	"strxfrm":                   "locales are not modelled",
	"mblen":                     "locales are not modelled",
	"mbstowcs":                  "locales are not modelled",
	"mbtowc":                    "locales are not modelled",
	"wcstombs":                  "locales are not modelled",
	"wctomb":                    "locales are not modelled",
	"__builtin_return_address":  "return addresses are not modelled",
	"__builtin_frame_address":   "stack frames are not modelled",
	"__builtin_longjmp":         "a jump out of a function is not modelled",
	"__builtin_setjmp":          "a function that returns twice is not modelled",
	"sigwait":                   "signals are not modelled",
	"alarm":                     "signals are not modelled",
	"sem_close":                 "named semaphores are shared by processes, which are not modelled",
	"sem_unlink":                "named semaphores are shared by processes, which are not modelled",
	"synchronize_rcu":           "waiting for RCU readers is not modelled",
	"synchronize_rcu_expedited": "waiting for RCU readers is not modelled",
	"call_rcu":                  "RCU callbacks are not modelled",
}

// Library is the functions that programs may call without defining them.
type Library struct {
	// Functions are translated here, by name.
	Functions map[string]Function
	// Sources are written in C. A file becomes part of the program when the program
	// mentions one of the functions it defines and has none of that name.
	Sources []*source.File
	// Calls has the functions written in C that translations of functions call.
	Calls   map[string][]string
	split   sync.Once
	defines [][]string // the functions that each of them defines
}
