package library

import (
	"maps"

	"fencepost/internal/frontend/c/translate/read"
)

// The table of functions. threads.go and sync.go add C11 threads, semaphores and locks,
// builtin.go what compilers know without a header.

// newLibrary returns the functions that are translated here, by name.
func newLibrary() map[string]function {
	m := map[string]function{}
	for _, table := range []map[string]function{atomicTable(), threadTable(), schedulingTable(), memoryTable(), verifierTable(), floatTable()} {
		maps.Copy(m, table)
	}
	addSync(m)
	addBuiltins(m)
	for t := range nondetTypes {
		m["__VERIFIER_nondet_"+t] = function{0, libNondet}
	}
	for name := range notModelled {
		m[name] = function{0, libNotModelled}
	}
	for name := range randomNumbers {
		m[name] = function{0, libRandom}
	}
	for _, name := range []string{"srand", "srandom", "srand48"} {
		m[name] = function{1, libNothing}
	}
	return m
}

// threadTable has threads, mutexes, conditions, barriers, sleep and clocks of POSIX.
func threadTable() map[string]function {
	return map[string]function{
		"pthread_create":              {4, libCreate},
		"pthread_join":                {2, libJoin},
		"pthread_exit":                {1, libThreadExit},
		"pthread_equal":               {2, libEqual},
		"pthread_detach":              {1, libDetach},
		"pthread_attr_init":           {1, libAttributes},
		"pthread_attr_destroy":        {1, libAttribute},
		"pthread_self":                {0, libSelf},
		"pthread_mutexattr_init":      {1, libMutexAttrInit},
		"pthread_mutexattr_settype":   {2, libMutexAttrType},
		"pthread_mutexattr_gettype":   {2, libMutexAttrGetType},
		"pthread_mutexattr_destroy":   {1, libAttribute},
		"pthread_attr_setdetachstate": {2, libAttribute},
		"pthread_attr_setstacksize":   {2, libAttribute},
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
		"nanosleep":                   {2, libSleep},
		"pthread_testcancel":          {0, libNothing},
		"clock_gettime":               {2, libClock},
		"timespec_get":                {2, libClock},
		"gettimeofday":                {2, libClock},
		"time":                        {1, libTime},
		"clock":                       {0, libTicks},
		"__fp_clock":                  {0, libTicks},
		"poll":                        {3, libPoll},
		"ppoll":                       {4, libPoll},
		"clock_nanosleep":             {4, libSleep},
		"pthread_yield":               {0, libZero},
		"__fp_global_fence":           {0, libGlobalFence},
		"syscall":                     {-1, libSyscall},
		"gettid":                      {0, libThreadNumber},
		"__fp_destroy":                {2, libDestroy},
	}
}

// schedulingTable has functions that change how fast a program runs and nothing else.
func schedulingTable() map[string]function {
	return map[string]function{
		"sched_setaffinity":              {3, libZero},
		"sched_setscheduler":             {3, libZero},
		"sched_setparam":                 {2, libZero},
		"pthread_setaffinity_np":         {3, libZero},
		"pthread_setname_np":             {2, libZero},
		"pthread_setschedparam":          {3, libZero},
		"pthread_setconcurrency":         {1, libZero},
		"pthread_attr_setstack":          {3, libAttribute},
		"pthread_attr_setguardsize":      {2, libAttribute},
		"pthread_attr_setschedpolicy":    {2, libAttribute},
		"pthread_attr_setschedparam":     {2, libAttribute},
		"pthread_attr_setinheritsched":   {2, libAttribute},
		"pthread_attr_setscope":          {2, libAttribute},
		"pthread_attr_setaffinity_np":    {3, libAttribute},
		"mlock":                          {2, libZero},
		"munlock":                        {2, libZero},
		"mlockall":                       {1, libZero},
		"munlockall":                     {0, libZero},
		"madvise":                        {3, libZero},
		"posix_madvise":                  {3, libZero},
		"setpriority":                    {3, libZero},
		"prctl":                          {-1, libProcessControl},
		"setvbuf":                        {4, libZero},
		"pthread_condattr_init":          {1, libAttributes},
		"pthread_condattr_destroy":       {1, libAttribute},
		"pthread_condattr_setclock":      {2, libAttribute},
		"pthread_condattr_setpshared":    {2, libAttribute},
		"pthread_mutexattr_setpshared":   {2, libAttribute},
		"pthread_rwlockattr_setpshared":  {2, libAttribute},
		"pthread_barrierattr_setpshared": {2, libAttribute},
		"pthread_rwlockattr_init":        {1, libAttributes},
		"pthread_rwlockattr_destroy":     {1, libAttribute},
		"pthread_barrierattr_init":       {1, libAttributes},
		"pthread_barrierattr_destroy":    {1, libAttribute},
	}
}

// memoryTable has memory, strings, output and the end of the program.
func memoryTable() map[string]function {
	return map[string]function{
		"__fp_varargs":    {0, libVarargs},
		"scanf":           {-1, libScan},
		"fscanf":          {-1, libScan},
		"fgets":           {3, libGetLine},
		"read":            {3, libGetLine},
		"getchar":         {0, libGetChar},
		"getc":            {1, libGetChar},
		"fgetc":           {1, libGetChar},
		"malloc":          {1, libMalloc},
		"aligned_alloc":   {2, libAligned},
		"memalign":        {2, libAligned},
		"posix_memalign":  {3, libAligned},
		"alloca":          {1, libAlloca},
		"calloc":          {2, libCalloc},
		pagesName:         {2, libCalloc},
		"free":            {1, libFree},
		"__fp_block_size": {1, libBlockSize},
		"abort":           {0, libExit},
		"exit":            {1, libExit},
		"_exit":           {1, libExit},
		"_Exit":           {1, libExit},
		"memcpy":          {3, libCopy},
		"memmove":         {3, libCopy},
		"memset":          {3, libMemset},
		"memcmp":          {3, libCompare},
		"strcmp":          {2, libCompare},
		"strncmp":         {3, libCompare},
		"strlen":          {1, libStrlen},
		"strcpy":          {2, libStrcpy},
		"getenv":          {1, libEnvironment},
		"secure_getenv":   {1, libEnvironment},
		"printf":          {-1, libPrint},
		"fprintf":         {-1, libPrint},
		"puts":            {1, libPrint},
		"fputs":           {2, libPrint},
		"putchar":         {1, libPrint},
		"fflush":          {1, libPrint},
		"perror":          {1, libPrint},
		"vprintf":         {2, libPrint},
		"vfprintf":        {3, libPrint},
		"dprintf":         {-1, libPrint},
		"fputc":           {2, libPrint},
		"putc":            {2, libPrint},
		"fwrite":          {4, libPrint},
		"syslog":          {-1, libPrint},
		"warn":            {-1, libPrint},
		"warnx":           {-1, libPrint},
	}
}

// verifierTable has assertions, and the conventions of verifiers.
func verifierTable() map[string]function {
	return map[string]function{
		"__fp_assert":             {2, libAssert},
		"__assert_fail":           {4, libAssertFail},
		read.InvariantHere:        {1, libInvariant},
		read.InvariantAlways:      {1, libInvariant},
		read.Abstraction:          {1, libInvariant},
		read.GhostCode:            {1, libInvariant},
		read.InvariantBound:       {0, libBound},
		read.BoundPointer:         {1, libBoundPointer},
		"reach_error":             {0, libError},
		"__VERIFIER_error":        {0, libError},
		"__VERIFIER_assume":       {1, libAssume},
		"__CPROVER_assume":        {1, libAssume},
		"__VERIFIER_assert":       {1, libVerifierAssert},
		"__CPROVER_assert":        {2, libVerifierAssert},
		"__fp_loads_begin":        {0, libSection},
		"__fp_loads_end":          {0, libSection},
		"__VERIFIER_atomic_begin": {0, libSection},
		"__VERIFIER_atomic_end":   {0, libSection},
		"__CPROVER_atomic_begin":  {0, libSection},
		"__CPROVER_atomic_end":    {0, libSection},
	}
}
