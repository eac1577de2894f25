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
		"__fp_assert":       {2, (*lowering).libAssert},
		"__assert_fail":     {4, (*lowering).libAssertFail},
		"__fp_load":         {2, (*lowering).libLoad},
		"__fp_store":        {3, (*lowering).libStore},
		"__fp_init":         {2, (*lowering).libInit},
		"__fp_rmw":          {5, (*lowering).libRMW},
		"__fp_cas":          {5, (*lowering).libCas},
		"__fp_casval":       {4, (*lowering).libSyncCas},
		"__fp_fence":        {1, (*lowering).libFence},
		"__fp_signal_fence": {1, (*lowering).libNothing},
		claimHere:           {1, (*lowering).libClaim},
		claimAlways:         {1, (*lowering).libClaim},
		claimBound:          {0, (*lowering).libBound},

		"pthread_create":              {4, (*lowering).libCreate},
		"pthread_join":                {2, (*lowering).libJoin},
		"pthread_exit":                {1, (*lowering).libThreadExit},
		"pthread_equal":               {2, (*lowering).libEqual},
		"pthread_detach":              {1, (*lowering).libZero},
		"pthread_attr_init":           {1, (*lowering).libZero},
		"pthread_attr_destroy":        {1, (*lowering).libZero},
		"pthread_self":                {0, (*lowering).libSelf},
		"pthread_mutexattr_init":      {1, (*lowering).libMutexAttrInit},
		"pthread_mutexattr_settype":   {2, (*lowering).libMutexAttrType},
		"pthread_mutexattr_destroy":   {1, (*lowering).libZero},
		"pthread_attr_setdetachstate": {2, (*lowering).libZero},
		"pthread_attr_setstacksize":   {2, (*lowering).libZero},
		"pthread_mutex_init":          {2, (*lowering).libMutexInit},
		"pthread_mutex_destroy":       {1, (*lowering).libMutexDestroy},
		"pthread_mutex_lock":          {1, (*lowering).libMutex},
		"pthread_mutex_trylock":       {1, (*lowering).libMutex},
		"pthread_mutex_unlock":        {1, (*lowering).libMutex},
		"pthread_cond_init":           {2, (*lowering).libSyncInit},
		"pthread_cond_destroy":        {1, (*lowering).libCondDestroy},
		"pthread_cond_wait":           {2, (*lowering).libCondWait},
		"pthread_cond_signal":         {1, (*lowering).libSignal},
		"pthread_cond_broadcast":      {1, (*lowering).libSignal},
		"pthread_barrier_init":        {3, (*lowering).libBarrierInit},
		"pthread_barrier_destroy":     {1, (*lowering).libBarrierDestroy},
		"pthread_barrier_wait":        {1, (*lowering).libBarrier},
		"sched_yield":                 {0, (*lowering).libZero},
		"usleep":                      {1, (*lowering).libZero},
		"sleep":                       {1, (*lowering).libZero},
		"nanosleep":                   {2, (*lowering).libZero},
		"pthread_setcancelstate":      {2, (*lowering).libZero},
		"pthread_setcanceltype":       {2, (*lowering).libZero},
		"pthread_testcancel":          {0, (*lowering).libNothing},
		"clock_gettime":               {2, (*lowering).libClock},
		"timespec_get":                {2, (*lowering).libClock},

		"malloc": {1, (*lowering).libMalloc},

		"aligned_alloc":  {2, (*lowering).libAligned},
		"memalign":       {2, (*lowering).libAligned},
		"posix_memalign": {3, (*lowering).libAligned},
		"calloc":         {2, (*lowering).libCalloc},
		"free":           {1, (*lowering).libFree},

		"__fp_block_size": {1, (*lowering).libBlockSize},
		"__fp_destroy":    {2, (*lowering).libDestroy},

		"abort": {0, (*lowering).libExit},
		"exit":  {1, (*lowering).libExit},
		"_exit": {1, (*lowering).libExit},
		"_Exit": {1, (*lowering).libExit},

		"memcpy":  {3, (*lowering).libCopy},
		"memmove": {3, (*lowering).libCopy},
		"memset":  {3, (*lowering).libMemset},
		"memcmp":  {3, (*lowering).libCompare},
		"strcmp":  {2, (*lowering).libCompare},
		"strncmp": {3, (*lowering).libCompare},
		"strlen":  {1, (*lowering).libStrlen},
		"strcpy":  {2, (*lowering).libStrcpy},

		"printf":  {-1, (*lowering).libPrint},
		"fprintf": {-1, (*lowering).libPrint},
		"puts":    {1, (*lowering).libPrint},
		"fputs":   {2, (*lowering).libPrint},
		"putchar": {1, (*lowering).libPrint},
		"fflush":  {1, (*lowering).libPrint},
		"perror":  {1, (*lowering).libPrint},

		"reach_error":             {0, (*lowering).libError},
		"__VERIFIER_error":        {0, (*lowering).libError},
		"__VERIFIER_assume":       {1, (*lowering).libAssume},
		"__CPROVER_assume":        {1, (*lowering).libAssume},
		"__VERIFIER_assert":       {1, (*lowering).libVerifierAssert},
		"__CPROVER_assert":        {2, (*lowering).libVerifierAssert},
		"__VERIFIER_atomic_begin": {0, (*lowering).libSection},
		"__VERIFIER_atomic_end":   {0, (*lowering).libSection},
		"__CPROVER_atomic_begin":  {0, (*lowering).libSection},
		"__CPROVER_atomic_end":    {0, (*lowering).libSection},
	}
	addSync(m)
	addBuiltins(m)
	for t := range nondetTypes {
		m["__VERIFIER_nondet_"+t] = libFunc{0, (*lowering).libNondet}
	}
	return m
}

func nothing() value { return value{void: true, obj: ir.NoObject} }

func zero() value { return integer(ir.Int(0), ir.S32) }

// libNothing evaluates its arguments.
func (f *lowering) libNothing(c *libCall) value {
	for _, a := range c.args {
		f.effect(a)
	}
	return nothing()
}

// libZero evaluates its arguments and returns 0.
func (f *lowering) libZero(c *libCall) value {
	f.libNothing(c)
	return zero()
}

// libPrint evaluates its arguments, strings aside. Nobody knows its result.
func (f *lowering) libPrint(c *libCall) value {
	for _, a := range c.args {
		if _, literal := unparen(a).Value().(cc.StringValue); !literal && !f.isStream(a) {
			f.operand(a)
		}
	}
	if c.want {
		f.refuse(codeResult, c.node, "the result of %s is used, and what it is is not known", c.name)
	}
	return nothing()
}

// isStream reports whether an argument is one of the streams that the library of the
// system defines.
func (f *lowering) isStream(e cc.ExpressionNode) bool {
	d := variable(e)
	if d == nil || d.Name() != "stdin" && d.Name() != "stdout" && d.Name() != "stderr" {
		return false
	}
	s := f.find(f.unit, d)
	return s != nil && !s.defined
}

// check is an assertion.
func (f *lowering) check(cond *ir.Expr, class ir.CheckClass, msg string) {
	op := ir.NewOp(ir.Assert)
	op.Val, op.Class, op.Msg = cond, class, msg
	f.emit(op)
}

func (f *lowering) libAssert(c *libCall) value {
	msg := "assertion"
	if s, ok := c.args[1].Value().(cc.StringValue); ok {
		msg = cString(string(s))
	}
	f.check(truthOf(f.operand(c.args[0])), ir.Assertion, msg)
	return nothing()
}

// libAssertFail is what glibc's assert calls.
func (f *lowering) libAssertFail(c *libCall) value {
	msg := "assertion"
	if s, ok := c.args[0].Value().(cc.StringValue); ok {
		msg = "assert(" + cString(string(s)) + ")"
	}
	f.check(ir.Int(0), ir.ReachError, msg)
	return f.libExit(&libCall{name: c.name, node: c.node})
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
func (f *lowering) libVerifierAssert(c *libCall) value {
	msg := c.name
	if len(c.args) > 1 {
		if s, ok := c.args[1].Value().(cc.StringValue); ok {
			msg = cString(string(s))
		}
	}
	f.check(truthOf(f.operand(c.args[0])), ir.Assertion, msg)
	return nothing()
}

func (f *lowering) libError(c *libCall) value {
	f.check(ir.Int(0), ir.ReachError, c.name+" is reached")
	return f.libExit(&libCall{name: c.name, node: c.node})
}

func (f *lowering) libAssume(c *libCall) value {
	op := ir.NewOp(ir.Assume)
	op.Val = truthOf(f.operand(c.args[0]))
	f.narrowInput(op.Val)
	f.emit(op)
	f.goesOn()
	return nothing()
}

func (f *lowering) libSection(c *libCall) value {
	kind := ir.AtomicBegin
	if c.name == "__VERIFIER_atomic_end" || c.name == "__CPROVER_atomic_end" {
		kind = ir.AtomicEnd
	}
	f.emit(ir.NewOp(kind))
	return nothing()
}

// libExit ends the program.
func (f *lowering) libExit(c *libCall) value {
	for _, a := range c.args {
		f.effect(a)
	}
	f.emit(ir.NewOp(ir.Exit))
	f.at, f.fresh = nowhere, false
	return nothing()
}
