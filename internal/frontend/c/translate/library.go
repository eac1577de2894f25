package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// The functions we model. None drains a store buffer unless design says so: the
// operations of ir that stand for them know.

// libCall is a call of a function we model.
type libCall struct {
	name string
	args []cc.ExpressionNode
	node *cc.PostfixExpression
	want bool // the result is used
}

type libFunc struct {
	args  int // number of arguments, -1: any
	lower func(f *lowering, c *libCall) value
}

// newLibrary is the functions we model, by name.
func newLibrary() map[string]libFunc {
	m := map[string]libFunc{
		"__fp_assert":       {2, libAssert},
		"__assert_fail":     {4, libAssertFail},
		"__fp_load":         {2, libLoad},
		"__fp_store":        {3, libStore},
		"__fp_init":         {2, libInit},
		"__fp_rmw":          {5, libRMW},
		"__fp_cas":          {5, libCas},
		"__fp_casval":       {4, libSyncCas},
		"__fp_fence":        {1, libFence},
		"__fp_signal_fence": {1, libNothing},
		claimHere:           {1, libClaim},
		claimAlways:         {1, libClaim},
		claimBound:          {0, libBound},

		"pthread_create":              {4, libCreate},
		"pthread_join":                {2, libJoin},
		"pthread_exit":                {1, libThreadExit},
		"pthread_equal":               {2, libEqual},
		"pthread_detach":              {1, libZero},
		"pthread_attr_init":           {1, libZero},
		"pthread_attr_destroy":        {1, libZero},
		"pthread_self":                {0, libSelf},
		"pthread_mutexattr_init":      {1, libMutexAttrInit},
		"pthread_mutexattr_settype":   {2, libMutexAttrType},
		"pthread_mutexattr_destroy":   {1, libZero},
		"pthread_attr_setdetachstate": {2, libZero},
		"pthread_attr_setstacksize":   {2, libZero},
		"pthread_mutex_init":          {2, libMutexInit},
		"pthread_mutex_destroy":       {1, libMutexDestroy},
		"pthread_mutex_lock":          {1, libMutex},
		"pthread_mutex_trylock":       {1, libMutex},
		"pthread_mutex_unlock":        {1, libMutex},
		"pthread_cond_init":           {2, libSyncInit},
		"pthread_cond_destroy":        {1, libCondDestroy},
		"pthread_cond_wait":           {2, libCondWait},
		"pthread_cond_signal":         {1, libSignal},
		"pthread_cond_broadcast":      {1, libSignal},
		"pthread_barrier_init":        {3, libBarrierInit},
		"pthread_barrier_destroy":     {1, libBarrierDestroy},
		"pthread_barrier_wait":        {1, libBarrier},
		"sched_yield":                 {0, libZero},
		"usleep":                      {1, libZero},
		"sleep":                       {1, libZero},
		"nanosleep":                   {2, libZero},
		"pthread_setcancelstate":      {2, libZero},
		"pthread_setcanceltype":       {2, libZero},
		"pthread_testcancel":          {0, libNothing},
		"clock_gettime":               {2, libClock},
		"timespec_get":                {2, libClock},

		"malloc": {1, libMalloc},

		"aligned_alloc":  {2, libAligned},
		"memalign":       {2, libAligned},
		"posix_memalign": {3, libAligned},
		"calloc":         {2, libCalloc},
		"free":           {1, libFree},

		"__fp_block_size": {1, libBlockSize},
		"__fp_destroy":    {2, libDestroy},

		"abort": {0, libExit},
		"exit":  {1, libExit},
		"_exit": {1, libExit},
		"_Exit": {1, libExit},

		"memcpy":  {3, libCopy},
		"memmove": {3, libCopy},
		"memset":  {3, libMemset},
		"memcmp":  {3, libCompare},
		"strcmp":  {2, libCompare},
		"strncmp": {3, libCompare},
		"strlen":  {1, libStrlen},
		"strcpy":  {2, libStrcpy},

		"printf":  {-1, libPrint},
		"fprintf": {-1, libPrint},
		"puts":    {1, libPrint},
		"fputs":   {2, libPrint},
		"putchar": {1, libPrint},
		"fflush":  {1, libPrint},
		"perror":  {1, libPrint},

		"reach_error":             {0, libError},
		"__VERIFIER_error":        {0, libError},
		"__VERIFIER_assume":       {1, libAssume},
		"__CPROVER_assume":        {1, libAssume},
		"__VERIFIER_assert":       {1, libVerifierAssert},
		"__CPROVER_assert":        {2, libVerifierAssert},
		"__VERIFIER_atomic_begin": {0, libSection},
		"__VERIFIER_atomic_end":   {0, libSection},
		"__CPROVER_atomic_begin":  {0, libSection},
		"__CPROVER_atomic_end":    {0, libSection},
	}
	addSync(m)
	addBuiltins(m)
	for t := range nondetTypes {
		m["__VERIFIER_nondet_"+t] = libFunc{0, libNondet}
	}
	return m
}

func nothing() value { return value{void: true, obj: ir.NoObject} }

func zero() value { return integer(ir.Int(0), ir.S32) }

// libNothing evaluates its arguments.
func libNothing(f *lowering, c *libCall) value {
	for _, a := range c.args {
		f.exprs.effect(a)
	}
	return nothing()
}

// libZero evaluates its arguments and returns 0.
func libZero(f *lowering, c *libCall) value {
	libNothing(f, c)
	return zero()
}

// libPrint evaluates its arguments, strings aside. Nobody knows its result.
func libPrint(f *lowering, c *libCall) value {
	for _, a := range c.args {
		if _, literal := unparen(a).Value().(cc.StringValue); !literal && !isStream(f, a) {
			f.exprs.operand(a)
		}
	}
	if c.want {
		f.in.refuse(codeResult, c.node, "the result of %s is used, and what it is is not known", c.name)
	}
	return nothing()
}

// isStream reports whether an argument is one of the streams that the library of the
// system defines.
func isStream(f *lowering, e cc.ExpressionNode) bool {
	d := variable(e)
	if d == nil || d.Name() != "stdin" && d.Name() != "stdout" && d.Name() != "stderr" {
		return false
	}
	s := f.syms.find(f.unit, d)
	return s != nil && !s.defined
}

func libAssert(f *lowering, c *libCall) value {
	msg := "assertion"
	if s, ok := c.args[1].Value().(cc.StringValue); ok {
		msg = cString(string(s))
	}
	f.code.check(truthOf(f.exprs.operand(c.args[0])), ir.Assertion, msg)
	return nothing()
}

// libAssertFail is what glibc's assert calls.
func libAssertFail(f *lowering, c *libCall) value {
	msg := "assertion"
	if s, ok := c.args[0].Value().(cc.StringValue); ok {
		msg = "assert(" + cString(string(s)) + ")"
	}
	f.code.check(ir.Int(0), ir.ReachError, msg)
	return libExit(f, &libCall{name: c.name, node: c.node})
}

func cString(s string) string {
	for i := range len(s) {
		if s[i] == 0 {
			return s[:i]
		}
	}
	return s
}

// libVerifierAssert is an assertion of one of the verifiers' conventions.
func libVerifierAssert(f *lowering, c *libCall) value {
	msg := c.name
	if len(c.args) > 1 {
		if s, ok := c.args[1].Value().(cc.StringValue); ok {
			msg = cString(string(s))
		}
	}
	f.code.check(truthOf(f.exprs.operand(c.args[0])), ir.Assertion, msg)
	return nothing()
}

func libError(f *lowering, c *libCall) value {
	f.code.check(ir.Int(0), ir.ReachError, c.name+" is reached")
	return libExit(f, &libCall{name: c.name, node: c.node})
}

func libAssume(f *lowering, c *libCall) value {
	op := ir.NewOp(ir.Assume)
	op.Val = truthOf(f.exprs.operand(c.args[0]))
	narrowInput(f, op.Val)
	f.code.emit(op)
	f.code.goesOn()
	return nothing()
}

func libSection(f *lowering, c *libCall) value {
	kind := ir.AtomicBegin
	if c.name == "__VERIFIER_atomic_end" || c.name == "__CPROVER_atomic_end" {
		kind = ir.AtomicEnd
	}
	f.code.emit(ir.NewOp(kind))
	return nothing()
}

// libExit ends the program.
func libExit(f *lowering, c *libCall) value {
	for _, a := range c.args {
		f.exprs.effect(a)
	}
	f.code.emit(ir.NewOp(ir.Exit))
	f.code.at, f.code.fresh = nowhere, false
	return nothing()
}
