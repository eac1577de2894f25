/* futex(2). A thread that waits has a slot with the address that it waits at. It takes the
   slot in the section that compares the word, and then waits for the semaphore of the slot.
   A thread that wakes others chooses any of the slots, in one section. Sections drain the
   store buffer. A wait may end without a wake, with or without EINTR: that is decided at
   once, which is as good as later. A wait with a time limit ends by itself whenever it was
   not woken. */
enum { eintr = 4, eagain = 11, einval = 22, enosys = 38, etimedout = 110 };
enum { wait = 0, wake = 1, requeue = 3, cmp_requeue = 4, wake_op = 5, wait_bitset = 9, wake_bitset = 10 };
enum { slots = 7 };
typedef struct { int value; } sem_t;
static struct { int *at; unsigned bits; sem_t woken; } slot[slots];

int *__errno_location(void);
int sem_wait(sem_t *);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __fp_futex_full(void);
void __fp_futex_pi(void);

static long fails(int number) {
  *__errno_location() = number;
  return -1;
}

/* The slot of a thread that starts to wait, or less than 0: the word is another, the wait
   ends without a wake, the wait ends with EINTR. */
static int takes_slot(int *at, int expected, unsigned bits, int timed) {
  int i = 0;
  __VERIFIER_atomic_begin();
  if (*at != expected)
    i = -eagain;
  else if (__VERIFIER_nondet_bool())
    i = __VERIFIER_nondet_bool() ? -eintr : timed ? -etimedout : -1;
  else {
    while (i < slots && (slot[i].at || slot[i].woken.value))
      i++;
    if (i == slots)
      __fp_futex_full();
    slot[i].at = at;
    slot[i].bits = bits;
  }
  __VERIFIER_atomic_end();
  return i;
}

/* Whether a wait with a time limit was woken; its slot is free after that. */
static int was_woken(int i) {
  int woken;
  __VERIFIER_atomic_begin();
  woken = slot[i].woken.value;
  slot[i].woken.value = 0;
  slot[i].at = 0;
  slot[i].bits = 0;
  __VERIFIER_atomic_end();
  return woken;
}

static long futex_wait(int *at, int expected, int timed, unsigned bits) {
  int i = takes_slot(at, expected, bits, timed);
  if (i == -1)
    return 0;
  if (i < 0)
    return fails(-i);
  if (timed)
    return was_woken(i) ? 0 : fails(etimedout);
  sem_wait(&slot[i].woken);
  return 0;
}

static int waits(int i, int *at, unsigned bits) {
  return slot[i].at == at && (slot[i].bits & bits) != 0;
}

/* Wakes any n of the threads that wait at an address, or moves them to another address. */
static int futex_wake(int *at, int n, unsigned bits, int *to) {
  int left = 0, done = 0;
  for (int i = 0; i < slots; i++)
    left += waits(i, at, bits);
  for (int i = 0; i < slots; i++)
    if (done < n && waits(i, at, bits) && (left-- <= n - done || __VERIFIER_nondet_bool())) {
      done++;
      slot[i].at = to;
      if (!to) {
        slot[i].bits = 0;
        slot[i].woken.value = 1;
      }
    }
  return done;
}

static int changed(int old, int how, int by) {
  switch (how) {
  case 0:
    return by;
  case 1:
    return old + by;
  case 2:
    return old | by;
  case 3:
    return old & ~by;
  }
  return old ^ by;
}

static int compares(int old, int how, int with) {
  switch (how) {
  case 0:
    return old == with;
  case 1:
    return old != with;
  case 2:
    return old < with;
  case 3:
    return old <= with;
  case 4:
    return old > with;
  }
  return old >= with;
}

static long wakes_after(int *at, int n, int more, int *other, unsigned how) {
  int by = (int)(how << 8) >> 20, with = (int)(how << 20) >> 20;
  long done;
  if (how >> 31)
    by = 1 << (by & 31);
  __VERIFIER_atomic_begin();
  int old = *other;
  *other = changed(old, how >> 28 & 7, by);
  done = futex_wake(at, n, ~0u, 0);
  if (compares(old, how >> 24 & 15, with))
    done += futex_wake(other, more, ~0u, 0);
  __VERIFIER_atomic_end();
  return done;
}

long __fp_futex(int *at, int op, int n, const void *time, int *other, unsigned last) {
  long done = 0;
  int equal = 1;
  switch (op & 127) {
  case wait:
    return futex_wait(at, n, time != 0, ~0u);
  case wait_bitset:
    return last ? futex_wait(at, n, time != 0, last) : fails(einval);
  case wake:
    last = ~0u;
  case wake_bitset:
    if (!last)
      return fails(einval);
    __VERIFIER_atomic_begin();
    done = futex_wake(at, n, last, 0);
    __VERIFIER_atomic_end();
    return done;
  case requeue:
  case cmp_requeue:
    __VERIFIER_atomic_begin();
    equal = (op & 127) == requeue || *at == (int)last;
    if (equal) {
      done = futex_wake(at, n, ~0u, 0);
      done += futex_wake(at, (int)(unsigned long)time, ~0u, other);
    }
    __VERIFIER_atomic_end();
    return equal ? done : fails(eagain);
  case wake_op:
    return wakes_after(at, n, (int)(unsigned long)time, other, last);
  case 6:
  case 7:
  case 8:
  case 11:
  case 12:
  case 13:
    __fp_futex_pi();
  }
  return fails(enosys);
}
