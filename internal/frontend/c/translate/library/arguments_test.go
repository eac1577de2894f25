package library_test

import (
	"context"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/query"
)

const argumentsHead = `#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c; sem_t s; pthread_rwlock_t l; struct timespec zero;
char b[4] = "ab"; void *writes(void *a) { b[1] = 'c'; return 0; }
void logs(const char *f, ...) { va_list v; va_start(v, f); vfprintf(stderr, f, v); va_end(v); }
void logs_names(int n, ...) { va_list v; va_start(v, n); vprintf("the name is %s\n", v); va_end(v); }
#define logs_name(p) logs_names(1, p)
int main(void) { `

// arguments are programs that hand something to a function of the library that it must not get, or may. want is how the
// answer begins: safe, or the reason.
var arguments = []struct{ want, body string }{
	{"uninitialised", `char *p = malloc(4); p[0] = 65; puts(p);`},
	{"uninitialised", `char p[4]; p[0] = 65; fputs(p, stdout);`},
	{"uninitialised", `char p[4]; p[0] = 65; printf("%d %s", 1, p);`},
	{"uninitialised", `char p[4]; p[0] = 65; printf("%*.*s", 3, 2, p);`},
	{"uninitialised", `char p[4]; p[0] = 65; fprintf(stderr, "%%%-3.2s", p);`},
	{"uninitialised", `char p[4]; p[0] = 65; syslog(3, p);`},
	{"uninitialised", `char p[4]; perror(p);`},
	{"uninitialised", `int n; printf("%.*s", n, "ab");`},
	{"safe", `char p[4]; p[0] = p[1] = 65; printf("%.2s%.*s%p", p, 2, p, p);`},
	{"safe", `char *p = getenv("HOME"); printf("%s", p); perror(p);`},
	{"safe", `static char name[] = "the name of a thread that is long"; printf("%s", name); puts(name);`},
	{"out-of-bounds", `char *p = malloc(17); memset(p, 65, 17); printf("%s", p);`},
	{"safe", `char p[4]; strcpy(p, "abc"); puts(p); printf("%s%ls", p, (wchar_t *)0);`},
	{"null-dereference", `char *p = getenv("HOME"); puts(p);`},
	{"use-after-free", `char *p = malloc(2); p[0] = 0; free(p); puts(p);`},
	{"use-after-free", `char *p = malloc(2); p[0] = 0; free(p); printf("%5s", p);`},
	{"use-after-free", `char *p = malloc(2); p[0] = p[1] = 0; free(p); fwrite(p, 1, 2, stdout);`},
	{"out-of-bounds", `char *p = malloc(2); p[0] = p[1] = 65; puts(p); free(p);`},
	{"out-of-bounds", `char p[4] = ""; fwrite(p, 2, 3, stdout);`},
	{"safe", `char p[4]; fwrite(p, 2, 2, stdout);`},
	{"data race", `pthread_t t; pthread_create(&t, 0, writes, 0); printf("%s", b); pthread_join(t, 0);`},
	{"safe", `pthread_t t; pthread_create(&t, 0, writes, 0); printf("%.1s", b); pthread_join(t, 0);`},
	{"an execution reaches a construct that is not supported", `int n; printf("ab%n", &n); return n;`},
	{"an execution reaches a construct that is not supported", `printf("%2$s%1$s", "a", b);`},
	{"uninitialised", `char p[4]; p[0] = 65; const char *f = b[0] == 'a' ? "%d %s" : ""; printf(f, 1, p);`},
	{"safe", `char p[4]; p[0] = 65; const char *f = b[0] == 'a' ? "%f%d %.1s%%" : ""; printf(f, 1.5, 1, p);`},
	{"safe", `char p[4]; p[0] = 65; const char *f = b[0] == 'a' ? "%-08.*s%+5ld%m" : ""; fprintf(stderr, f, 1, p, 3L);`},
	{"uninitialised", `int n; const char *f = b[0] == 'a' ? "a text of many letters: %d" : ""; printf(f, n);`},
	{"safe", `int n; const char *f = b[0] == 'a' ? "a text of many letters" : "%d"; printf(f, n);`},
	{"use-after-free", `char *p = malloc(2); p[0] = 0; free(p); const char *f = b[0] == 'a' ? "%s" : ""; syslog(3, f, p);`},
	{"an execution reaches a construct that is not supported", `int n = 0; const char *f = b[0] == 'a' ? "%n" : ""; printf(f, &n); if (n) abort();`},
	{"an execution reaches a construct that is not supported", `int n = 0; const char *f = b[0] == 'a' ? "%d" : ""; printf(f);`},
	{"an execution reaches a construct that is not supported", `const char *f = b[0] == 'a' ? "%d%d%d%d%d%d%d" : ""; printf(f, 1, 2, 3, 4, 5, 6, 7);`},
	{"safe", `logs("a text"); logs("%d of %d, %s\n", 1, 2, b);`},
	{"use-after-free", `char *p = malloc(2); p[0] = 0; free(p); logs("%d of %d, %s\n", 1, 2, p);`},
	{"uninitialised", `int n; logs("%s: %x", "a", n);`},
	{"an execution reaches a construct that is not supported", `int n = 0; logs("%d%n", 1, &n); if (n) abort();`},
	{"use-after-free", `char *p = malloc(2); p[0] = 0; free(p); logs_name(p);`},
	{"safe", `logs_name(b);`},
	{"uninitialised", `pthread_mutexattr_t a; pthread_mutex_init(&m, &a);`},
	{"uninitialised", `pthread_mutexattr_t a; pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);`},
	{"uninitialised", `pthread_condattr_t a; pthread_cond_init(&c, &a);`},
	{"uninitialised", `pthread_condattr_t a; pthread_condattr_setclock(&a, CLOCK_MONOTONIC);`},
	{"uninitialised", `pthread_rwlockattr_t a; pthread_rwlock_init(&l, &a);`},
	{"uninitialised", `pthread_barrierattr_t a; pthread_barrier_t x; pthread_barrier_init(&x, &a, 1);`},
	{"uninitialised", `unsigned n; pthread_barrier_t x; pthread_barrier_init(&x, 0, n);`},
	{"uninitialised", `pthread_t t; pthread_attr_t a; pthread_create(&t, &a, writes, 0);`},
	{"uninitialised", `size_t n; pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setstacksize(&a, n);`},
	{"uninitialised", `pthread_t t; pthread_detach(t);`},
	{"uninitialised", `int n; usleep(n);`},
	{"uninitialised", `int n; srand(n);`},
	{"uninitialised", `struct timespec t; t.tv_sec = 1; nanosleep(&t, 0);`},
	{"uninitialised", `struct timespec t; t.tv_nsec = 1; clock_nanosleep(CLOCK_REALTIME, 0, &t, 0);`},
	{"uninitialised", `struct timespec t; t.tv_sec = 1; thrd_sleep(&t, 0);`},
	{"uninitialised", `struct timespec t; t.tv_sec = 1; pthread_mutex_lock(&m); pthread_mutex_timedlock(&m, &t);`},
	{"safe", `struct timespec t; t.tv_sec = 1; pthread_mutex_timedlock(&m, &t);`},
	{"uninitialised", `struct timespec t; t.tv_sec = 1; sem_timedwait(&s, &t);`},
	{"uninitialised", `struct timespec t; t.tv_sec = 1; pthread_rwlock_timedwrlock(&l, &t);`},
	{"uninitialised", `struct timespec t; pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &t);`},
	{"uninitialised", `mtx_t x; struct timespec t; t.tv_sec = 0; mtx_init(&x, mtx_timed); mtx_lock(&x); mtx_timedlock(&x, &t);`},
	{"safe", `pthread_mutex_lock(&m); if (pthread_mutex_timedlock(&m, &zero) != ETIMEDOUT) return *(volatile int *)0; nanosleep(&zero, 0);`},
	{"use-after-free", `struct timespec *t = calloc(1, sizeof *t); free(t); nanosleep(t, 0);`},
}

// TestArguments: what a call reads is defined and there, also where the call changes nothing.
func TestArguments(t *testing.T) {
	for _, a := range arguments {
		opt := query.CheckOptions{Races: true, Models: []query.Model{query.TSO}, Options: query.Defaults()}
		opt.Workers = 1
		answer, err := check.Run(context.Background(), query.Input{Name: "a.c", Text: []byte(argumentsHead + a.body + " return 0; }\n")}, opt)
		if err != nil || answer.HasErrors() || len(answer.Results) != 1 {
			t.Errorf("%s: %v %v", a.body, err, answer.Diagnostics)
			continue
		}
		if r := answer.Results[0]; r.Verdict.String() != a.want && !strings.HasPrefix(r.Reason, a.want) {
			t.Errorf("%s\n%s (%s), want %s", a.body, r.Verdict, r.Reason, a.want)
		}
	}
}
