package lin

import (
	"path"
	"strings"

	"fencepost/internal/lazyregexp"
	"fencepost/internal/question/harness"
)

// Roles by name: a queue whose name has spsc is for one producer and one consumer, and a deque with an operation steal belongs
// to one thread. The answer says so, and an operation that the user names has the role that the user says, or none.

const (
	producer = "producer"
	consumer = "consumer"
	owner    = "owner"
)

var (
	producers = lazyregexp.New(`(^|_)(spsc|spmc|single_producer|one_producer|sp_sc|sp_mc)(_|$)`)
	consumers = lazyregexp.New(`(^|_)(spsc|mpsc|single_consumer|one_consumer|sp_sc|mp_sc)(_|$)`)
	manyToo   = lazyregexp.New(`(^|_)(mpmc|spmc|mpsc|spsc)(_|$)`)
	steals    = lazyregexp.New(`(^|_)(steal|thief)(_|$)`)
	takes     = verbOf("take", takeWords)
)

// rolesByName gives operations roles that names tell.
func rolesByName(file string, o *Object) {
	of := snake(strings.TrimSuffix(path.Base(file), path.Ext(file))) + "_" + snake(o.Type)
	stealing := false
	for _, op := range o.Ops {
		if op.Role != "" {
			return
		}
		stealing = stealing || steals.MatchString(snake(op.Name))
	}
	for _, op := range o.Ops {
		name := snake(op.Name)
		told := name
		if !manyToo.MatchString(name) { // the operation has no such word itself
			told = name + "_" + of
		}
		puts := op.puts()
		gets := !puts && (op.phase == harness.Takes || takes.words.MatchString(name))
		switch {
		case stealing && (puts || gets) && !steals.MatchString(name):
			op.Role = owner
		case puts && producers.MatchString(told):
			op.Role = producer
		case gets && consumers.MatchString(told):
			op.Role = consumer
		}
	}
}
