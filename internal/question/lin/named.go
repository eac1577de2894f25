package lin

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/lazyregexp"
)

// Named specifications: is the code, one call at a time, a stack, a queue and so on?
//
// The kinds of objects are models with outcomes in words, such as "empty" and "value 1". What the code returns for
// an outcome is not known beforehand: the same outcome of an operation must always have the same results, and different
// outcomes different ones. If that is so for all sequences of calls of a client, the code is its own specification there.

// kind is a kind of object. do returns the outcome of a call, "" if the call waits. fails says that the call has other
// results than when it last succeeded: a bounded object may be full.
type kind struct {
	verbs []verb
	do    func(s *state, verb string, args []int, fails bool) string
}

// verb is an operation of a kind, and the words in names of functions that mean it. The first match counts.
type verb struct {
	name  string
	words *lazyregexp.Regexp
}

func verbOf(name, words string) verb {
	return verb{name, lazyregexp.New(`(^|_|try|rd|wr)(` + words + `)(_|\d|$)`)}
}

// state is the contents of an object of any kind.
type state struct {
	list    []int
	of      map[int]int
	number  int
	readers int
	held    bool
}

const (
	putWords  = "push|put|enqueue|enq|insert|add|send|write|offer|produce"
	takeWords = "pop|take|dequeue|deq|remove|get|recv|receive|read|poll|consume"
	findWords = "contains|find|lookup|has|member|search|exists|get"
)

// kinds has the specifications by name.
var kinds = map[string]kind{
	"stack": {[]verb{verbOf("put", putWords), verbOf("take", takeWords)}, func(s *state, v string, args []int, fails bool) string {
		return s.sequence(v, args, fails, len(s.list)-1)
	}},
	"queue": {[]verb{verbOf("put", putWords), verbOf("take", takeWords)}, func(s *state, v string, args []int, fails bool) string {
		return s.sequence(v, args, fails, 0)
	}},
	"deque": {[]verb{
		verbOf("take front", "steal|pop_?(front|left|head|top)|take_?(front|left|head|top)|remove_?(front|left|first|top)"),
		verbOf("put front", "(push|put|add|insert)_?(front|left|head|first|top)"),
		verbOf("take", takeWords), verbOf("put", putWords),
	}, doDeque},
	"set":     {[]verb{verbOf("remove", "remove|erase|delete|del"), verbOf("find", findWords), verbOf("put", putWords)}, doSet},
	"map":     {[]verb{verbOf("remove", "remove|erase|delete|del"), verbOf("find", findWords), verbOf("put", putWords+"|set|store")}, doMap},
	"counter": {[]verb{verbOf("down", "dec|decrement|sub"), verbOf("up", "inc|increment|add|next"), verbOf("read", "get|read|value|load|count")}, doCounter},
	"lock":    {[]verb{verbOf("try", "try_?lock|try_?acquire|try"), verbOf("unlock", "unlock|release|leave|exit"), verbOf("lock", "lock|acquire|enter")}, doLock},
	"rwlock": {[]verb{
		verbOf("read unlock", "(read|rd|shared|r)_?(unlock|release|leave)|unlock_?(read|shared)"), verbOf("unlock", "unlock|release|leave"),
		verbOf("read lock", "(read|rd|shared|r)_?(lock|acquire|enter)|lock_?(read|shared)"), verbOf("lock", "lock|acquire|enter"),
	}, doLock},
}

var capitals = lazyregexp.New(`([a-z0-9])([A-Z])`)

// snake returns a name such as queuePush as queue_push.
func snake(name string) string {
	return strings.ToLower(capitals.ReplaceAllString(name, "${1}_${2}"))
}

// sequence does a call on a list from which the element at an index is taken.
func (s *state) sequence(verb string, args []int, fails bool, next int) string {
	switch {
	case verb == "put" && fails && len(s.list) > 0:
		return "full"
	case verb == "put":
		s.list = append(s.list, args[0])
		return "done"
	case len(s.list) == 0:
		return "empty"
	}
	v := s.list[next]
	s.list = slices.Delete(slices.Clone(s.list), next, next+1)
	return fmt.Sprintf("value %d", v)
}

func doDeque(s *state, verb string, args []int, fails bool) string {
	switch verb {
	case "put front":
		if fails && len(s.list) > 0 {
			return "full"
		}
		s.list = append([]int{args[0]}, s.list...)
		return "done"
	case "take front":
		return s.sequence("take", args, fails, 0)
	}
	return s.sequence(verb, args, fails, len(s.list)-1)
}

func doSet(s *state, verb string, args []int, _ bool) string {
	_, had := s.of[args[0]]
	switch verb {
	case "put":
		s.of[args[0]] = 1
	case "remove":
		delete(s.of, args[0])
	}
	if had {
		return "there"
	}
	return "not there"
}

func doMap(s *state, verb string, args []int, _ bool) string {
	old, had := s.of[args[0]]
	switch {
	case verb == "put" && len(args) > 1:
		s.of[args[0]] = args[1]
		return "done"
	case verb == "remove":
		delete(s.of, args[0])
	}
	if !had {
		return "not there"
	}
	if verb == "remove" {
		return "there"
	}
	return fmt.Sprintf("value %d", old)
}

func doCounter(s *state, verb string, args []int, _ bool) string {
	by, old := 1, s.number
	if len(args) > 0 {
		by = args[0]
	}
	switch verb {
	case "up":
		s.number += by
	case "down":
		s.number -= by
	}
	if verb != "read" && len(args) > 0 {
		return fmt.Sprintf("value %d by %d", old, by)
	}
	return fmt.Sprintf("value %d", old)
}

func doLock(s *state, verb string, _ []int, _ bool) string {
	free := !s.held && s.readers == 0
	switch verb {
	case "lock":
		if !free {
			return ""
		}
		s.held = true
	case "try":
		if !free {
			return "held"
		}
		s.held = true
	case "unlock":
		s.held = false
	case "read lock":
		if s.held {
			return ""
		}
		s.readers++
	case "read unlock":
		s.readers--
	}
	return "done"
}

// conformity holds the results of the code against a kind of object.
type conformity struct {
	name    string
	kind    kind
	verbs   map[*Operation]string
	results map[string]string // by operation and outcome
	outcome map[string]string // by operation and results
}

// newConformity finds out which operation does what.
func newConformity(name string, o *Object) (*conformity, error) {
	k := kinds[name]
	c := &conformity{name: name, kind: k, verbs: map[*Operation]string{}, results: map[string]string{}, outcome: map[string]string{}}
	for _, op := range o.Ops {
		at := slices.IndexFunc(k.verbs, func(v verb) bool { return v.words.MatchString(snake(op.Name)) })
		if at < 0 {
			return nil, fmt.Errorf("nothing in the name of %s says what it does to a %s", op.Name, name)
		}
		c.verbs[op] = k.verbs[at].name
		needs := strings.HasPrefix(c.verbs[op], "put") || name == "set" || name == "map"
		if needs && !slices.ContainsFunc(op.Params, func(p Param) bool { return p.Kind == ValueArg || p.Kind == KeyArg || p.Kind == BlockArg }) {
			return nil, fmt.Errorf("%s has no parameter for what it does to a %s", op.Name, name)
		}
	}
	return c, nil
}

// check holds one sequence of calls with their results against the kind. It returns what is wrong, or "".
func (c *conformity) check(calls []call, results [][]int64) string {
	s := &state{of: map[int]int{}}
	for i := range calls {
		one := &calls[i]
		var args []int
		for j, p := range one.op.Params {
			if p.Kind == ValueArg || p.Kind == KeyArg || p.Kind == BlockArg {
				args = append(args, one.args[j])
			}
		}
		got := numbers(results[i])
		success, known := c.results[one.op.Name+"\x00done"]
		outcome := c.kind.do(s, c.verbs[one.op], args, known && got != success)
		if outcome == "" {
			return fmt.Sprintf("%s returns, but waits in a %s", one, c.name)
		}
		if one.slots() == 0 {
			continue
		}
		if v, is := strings.CutPrefix(outcome, "value "); is && c.name != "counter" && !slices.Contains(strings.Split(got, ", "), v) {
			return fmt.Sprintf("%s returns %s, not %s as a %s does", one, got, v, c.name)
		}
		byOutcome, byResult := one.op.Name+"\x00"+outcome, one.op.Name+"\x00"+got
		if before, known := c.results[byOutcome]; known && before != got {
			return fmt.Sprintf("%s returns %s, but %s where a %s has the same outcome (%s)", one, got, before, c.name, outcome)
		}
		if before, known := c.outcome[byResult]; known && before != outcome {
			return fmt.Sprintf("%s returns %s, as where the outcome is %q; of a %s it is %q", one, got, before, c.name, outcome)
		}
		c.results[byOutcome], c.outcome[byResult] = got, outcome
	}
	return ""
}

// table checks all sequences of calls of a client. It returns the first one that is wrong and why.
func (c *conformity) table(of *client, t *table) (*final, string) {
	slots, all := of.slotOf(), of.all()
	for i := range t.finals {
		f := &t.finals[i]
		var calls []call
		var results [][]int64
		add := func(n int) {
			calls, results = append(calls, all[n]), append(results, f.results[slots[n]:slots[n+1]])
		}
		for n := range of.prefix {
			add(n)
		}
		for _, n := range f.order {
			add(len(of.prefix) + n)
		}
		for n := range of.suffix {
			add(len(all) - len(of.suffix) + n)
		}
		if why := c.check(calls, results); why != "" {
			return f, why
		}
	}
	return nil, ""
}
