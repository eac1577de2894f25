package library_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Clients of pthreads: random programs of two or three threads that make two to four calls, with plain accesses beside
// them. Every thread writes down what its calls returned and what it read, as digits of one number.

// clientHead begins every client. The results of calls are digits: 0 for success.
const clientHead = `#ifdef IMPLEMENTATION
#include "implementation.h"
#else
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#define thread_begin(n) ((void)0)
#endif
static int digit(int v) { return v == 0 ? 0 : v == EBUSY ? 1 : v == ETIMEDOUT ? 2 : v == EDEADLK ? 3 : v == EPERM ? 4 : v == EAGAIN ? 5 : v == -1 ? 6 : 7; }
#define R(call) (v = (call), r = r * 8 + digit(v), v)
#define S(call) (v = (call) ? errno : 0, r = r * 8 + digit(v), v)
#define SEE(var) (r = r * 4 + (var))
static const struct timespec limit = {1000000000, 0};
int x, y, out0, out1, out2;
`

// client makes a client from a seed.
type client struct {
	r       *rand.Rand
	threads int
	kind    int // of mutexes
	calls   int // that the current thread may still make
}

// families are the objects that clients use. Each returns the statements of a thread, and has globals and the statements
// of main before the threads start.
var families = []struct {
	name, globals string
	init          func(c *client) string
	statement     func(c *client, thread, depth int) string
}{
	{"mutex", "pthread_mutex_t m;", (*client).initMutex, (*client).mutex},
	{"rwlock", "pthread_rwlock_t l;", func(*client) string { return "pthread_rwlock_init(&l, 0);" }, (*client).rwlock},
	{"semaphore", "sem_t s;", func(c *client) string { return fmt.Sprintf("sem_init(&s, 0, %d);", c.r.IntN(3)) }, (*client).semaphore},
	{"condition", "pthread_mutex_t m; pthread_cond_t c; int flag;", func(c *client) string { return c.initMutex() + " pthread_cond_init(&c, 0);" }, (*client).condition},
	{"barrier", "pthread_barrier_t b;", func(c *client) string { return fmt.Sprintf("pthread_barrier_init(&b, 0, %d);", c.threads) }, (*client).barrier},
	{"once", "pthread_once_t o; static void once(void) { x++; y = y * 2 + 1; }", func(*client) string { return "" }, (*client).once},
	{"mutex and semaphore", "pthread_mutex_t m; sem_t s;", func(c *client) string { return c.initMutex() + " sem_init(&s, 0, 1);" }, func(c *client, thread, depth int) string {
		if c.r.IntN(2) == 0 {
			return c.mutex(thread, depth)
		}
		return c.semaphore(thread, depth)
	}},
}

// clientOf returns the client with a seed, and the name of its family.
func clientOf(seed uint64) (name, text string) {
	f := families[seed%uint64(len(families))]
	c := &client{r: rand.New(rand.NewPCG(seed, 42))}
	c.threads = 2 + c.r.IntN(4)/3
	c.kind = c.r.IntN(3)
	init := f.init(c)
	var b strings.Builder
	b.WriteString(clientHead + f.globals + "\n")
	for t := range c.threads {
		fmt.Fprintf(&b, "static void *thread%d(void *arg) {\n  int r = 0, v = 0;\n  thread_begin(%d);\n", t, t+1)
		c.calls = 2 + c.r.IntN(3)
		if c.threads == 3 {
			c.calls = 2
		}
		for rounds := 0; c.calls > 0 && rounds < 3; rounds++ {
			fmt.Fprintf(&b, "  %s\n  %s\n  %s\n", c.access(t), f.statement(c, t, 0), c.access(t+1))
		}
		fmt.Fprintf(&b, "  out%d = r;\n  return (void *)(long)v;\n}\n", t)
	}
	b.WriteString("int main(void) {\n  pthread_t p[3];\n  thread_begin(4);\n  " + init + "\n")
	for t := range c.threads {
		fmt.Fprintf(&b, "  pthread_create(&p[%d], 0, thread%d, 0);\n", t, t)
	}
	for t := range c.threads {
		fmt.Fprintf(&b, "  pthread_join(p[%d], 0);\n", t)
	}
	b.WriteString("  return 0;\n}\n")
	return f.name, b.String()
}

// access returns a plain access, or nothing.
func (c *client) access(thread int) string {
	v := []string{"x", "y"}[thread%2]
	switch c.r.IntN(6) {
	case 0, 1:
		return fmt.Sprintf("%s = %d;", v, 1+c.r.IntN(2))
	case 2, 3:
		return "SEE(" + v + ");"
	case 4:
		return []string{"x = 1; SEE(y);", "y = 1; SEE(x);"}[thread%2]
	}
	return ""
}

// inside returns the statements while something is held: accesses, and sometimes more calls.
func (c *client) inside(thread, depth int, more func(c *client, thread, depth int) string) string {
	text := c.access(thread)
	if depth == 0 && c.calls > 0 && c.r.IntN(2) == 0 {
		text += " " + more(c, thread, depth+1)
	}
	return text + " " + c.access(thread+1)
}

func (c *client) initMutex() string {
	name := []string{"NORMAL", "RECURSIVE", "ERRORCHECK"}[c.kind]
	return fmt.Sprintf("pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_%s); pthread_mutex_init(&m, &a);", name)
}

// mutex returns calls on a mutex, inside which depth locks are held. A normal mutex is not locked again by its owner
// without a limit of time, and not unlocked by others.
func (c *client) mutex(thread, depth int) string {
	c.calls--
	const normal, errorcheck = 0, 2
	switch k := c.r.IntN(8); {
	case k == 0 && c.kind == errorcheck && depth == 0:
		return "R(pthread_mutex_unlock(&m));"
	case k < 3 && !(c.kind == normal && depth > 0):
		if c.kind == errorcheck && depth > 0 {
			return "R(pthread_mutex_lock(&m));"
		}
		return fmt.Sprintf("R(pthread_mutex_lock(&m)); %s R(pthread_mutex_unlock(&m));", c.inside(thread, depth, (*client).mutex))
	case k < 6:
		return fmt.Sprintf("if (R(pthread_mutex_trylock(&m)) == 0) { %s R(pthread_mutex_unlock(&m)); } else { %s }", c.inside(thread, depth, (*client).mutex), c.access(thread+1))
	}
	return fmt.Sprintf("if (R(pthread_mutex_timedlock(&m, &limit)) == 0) { %s R(pthread_mutex_unlock(&m)); } else { %s }", c.inside(thread, depth, (*client).mutex), c.access(thread+1))
}

// rwlock returns calls on a lock of readers and writers. A thread that holds it locks it again only by calls that may
// fail.
func (c *client) rwlock(thread, depth int) string {
	c.calls--
	call := []string{"rdlock(&l", "wrlock(&l", "tryrdlock(&l", "trywrlock(&l", "timedrdlock(&l, &limit", "timedwrlock(&l, &limit"}[c.r.IntN(6)]
	if depth > 0 {
		call = []string{"tryrdlock(&l", "trywrlock(&l"}[c.r.IntN(2)]
	}
	return fmt.Sprintf("if (R(pthread_rwlock_%s)) == 0) { %s R(pthread_rwlock_unlock(&l)); } else { %s }", call, c.inside(thread, depth, (*client).rwlock), c.access(thread+1))
}

func (c *client) semaphore(thread, depth int) string {
	c.calls--
	switch c.r.IntN(7) {
	case 0:
		return "S(sem_wait(&s));"
	case 1:
		return "S(sem_timedwait(&s, &limit));"
	case 2, 3:
		return "S(sem_trywait(&s));"
	case 4:
		return "{ int value; S(sem_getvalue(&s, &value)); SEE(value); }"
	}
	return "S(sem_post(&s));"
}

// condition returns a wait, a wait that may time out, or a signal, with the mutex around it or not.
func (c *client) condition(thread, depth int) string {
	c.calls -= 2
	wake := []string{"signal", "broadcast"}[c.r.IntN(2)]
	switch c.r.IntN(7) {
	case 0:
		return fmt.Sprintf("R(pthread_mutex_lock(&m)); while (!flag) pthread_cond_wait(&c, &m); %s R(pthread_mutex_unlock(&m));", c.access(thread))
	case 1:
		return fmt.Sprintf("R(pthread_mutex_lock(&m)); if (!flag) R(pthread_cond_wait(&c, &m)); SEE(flag); %s R(pthread_mutex_unlock(&m));", c.access(thread))
	case 2:
		return fmt.Sprintf("R(pthread_mutex_lock(&m)); %s R(pthread_cond_timedwait(&c, &m, &limit)); SEE(flag); R(pthread_mutex_unlock(&m));", c.access(thread))
	case 3:
		return fmt.Sprintf("R(pthread_mutex_lock(&m)); flag = 1; %s R(pthread_cond_%s(&c)); %s R(pthread_mutex_unlock(&m));", c.access(thread), wake, c.access(thread+1))
	case 4:
		return fmt.Sprintf("R(pthread_mutex_lock(&m)); flag = 1; R(pthread_mutex_unlock(&m)); %s R(pthread_cond_%s(&c));", c.access(thread), wake)
	}
	return fmt.Sprintf("%s R(pthread_cond_%s(&c));", c.access(thread), wake)
}

func (c *client) barrier(thread, depth int) string {
	c.calls -= 2
	if c.threads == 2 && c.r.IntN(2) == 0 {
		c.calls++
	}
	return "R(pthread_barrier_wait(&b));"
}

func (c *client) once(thread, depth int) string {
	c.calls--
	return "R(pthread_once(&o, once));"
}
