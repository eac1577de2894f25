package translate

import (
	"fmt"
	"strings"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Calls on an object of another kind, such as pthread_rwlock_wrlock on a mutex through a cast, are errors of the
// program where the argument names the object. Through other pointers they are not found.

// syncTypes has the types of the first parameters of functions, by how the functions begin.
var syncTypes = map[string]string{
	"pthread_mutex_": "pthread_mutex_t", "pthread_rwlock_": "pthread_rwlock_t", "pthread_spin_": "pthread_spinlock_t",
	"pthread_barrier_": "pthread_barrier_t", "pthread_cond_": "pthread_cond_t", "sem_": "sem_t",
}

// checkSyncObject makes a call an error of the program if its first argument is the address of an object of another
// of these types.
func (f *Calls) checkSyncObject(name string, args []*parse.Expr) {
	if len(args) == 0 {
		return
	}
	want := ""
	for prefix, t := range syncTypes {
		if strings.HasPrefix(name, prefix) {
			want = t
		}
	}
	have := addressedType(args[0])
	if want == "" || have == "" || have == want {
		return
	}
	for _, t := range syncTypes {
		if have == t {
			f.Code.Check(ir.Int(0), ir.BadAddress, fmt.Sprintf("%s of a %s", name, have))
		}
	}
}

// addressedType returns the name of the type of the object whose address an expression is, casts aside; "" if it is
// none or its type has no name.
func addressedType(e *parse.Expr) string {
	e = e.Bare()
	for e.Op == parse.Convert {
		e = e.A.Bare()
	}
	if a := Addressed(e); a != nil {
		return a.A.Type.Typedef
	}
	if d := VariableOf(e); d != nil && d.Type.Kind == types.Array {
		return d.Type.Elem.Typedef
	}
	return ""
}
