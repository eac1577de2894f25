package sequential

// What every sequential program has: choices, and memory under each model.

const sequentialHeader = `/*
 * %s under %s, as a sequential program in C; written by fencepost.
 *
 * Threads run in rounds, lazily sequentialized, on an abstraction of shared memory.
 * For verifiers (CBMC, ESBMC and others): as it is; a failing assertion is a violation.
 * To run it: gcc -DRUN FILE.c -o a.out
 *   ./a.out all        all choices in turn; exit code 1 as soon as something fails
 *   ./a.out all N      at most N runs; exit code 2 if these are not all
 *   ./a.out seed N     choices at random
 *   ./a.out file F     choices from a file: SITE=VALUE for every site, see the list below
 */
#include <assert.h>
#include <stdint.h>
#ifdef RUN
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#define UNUSED __attribute__((unused))

enum { THREADS = %d, CELLS = %d, ROUNDS = %d, TIMES = %d, KEPT = %d, SITES = %d };

`

const sequentialChoices = `#ifdef RUN
static jmp_buf excluded;
static enum { ALL, SEED, GIVEN } mode;
static struct {
  int site, is_stop, round;
  int64_t first, beyond, value;
} made[1 << 16]; /* the choices of this run, in order */
static int depth, known;
static int64_t given[SITES]; /* choices from a file, by site */
static int is_given[SITES];

static void __VERIFIER_assume(int c) {
  if (!c)
    longjmp(excluded, 1);
}

/* A number from first to beyond-1. */
static UNUSED int64_t choose(int site, int64_t first, int64_t beyond) {
  __VERIFIER_assume(first < beyond);
  if (mode == GIVEN) {
    if (!is_given[site])
      return first;
    __VERIFIER_assume(given[site] >= first && given[site] < beyond);
    return given[site];
  }
  if (beyond - first == 1)
    return first;
  if (depth == known) {
    __VERIFIER_assume(known < 1 << 16);
    made[known].site = site;
    made[known].is_stop = 0;
    made[known].first = first;
    made[known].beyond = beyond;
    made[known].value = mode == SEED ? first + rand() % (beyond - first) : first;
    known++;
  }
  return made[depth++].value;
}

/* Whether a thread stops. A file has the round in which the thread goes on. */
static UNUSED int choose_stop(int site, int round) {
  int stops;
  if (mode == GIVEN)
    return !is_given[site] || round < given[site];
  stops = (int)choose(site, 0, 2);
  made[depth - 1].is_stop = 1;
  made[depth - 1].round = round;
  return stops;
}

static UNUSED int64_t any_number(int site) {
  return mode == GIVEN ? given[site] : choose(site, -1, 7);
}

static UNUSED void fail(const char *what) {
  printf("violation: %s\n", what);
  printf("choices:");
  for (int i = 0; i < depth; i++)
    if (!made[i].is_stop)
      printf(" %d=%" PRId64, made[i].site, made[i].value);
    else if (made[i].value == 0)
      printf(" %d=%d", made[i].site, made[i].round);
  printf("\n");
  exit(1);
}
#else
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
extern void __VERIFIER_assume(int);

static UNUSED int64_t choose(int site, int64_t first, int64_t beyond) {
  int64_t v = __VERIFIER_nondet_long();
  (void)site;
  __VERIFIER_assume(v >= first && v < beyond);
  return v;
}

static UNUSED int choose_stop(int site, int round) {
  (void)round;
  return (int)choose(site, 0, 2);
}

static UNUSED int64_t any_number(int site) {
  (void)site;
  return __VERIFIER_nondet_long();
}

static UNUSED void fail(const char *what) {
  (void)what;
  assert(0);
  __VERIFIER_assume(0);
}
#endif

`

const sequentialMain = `
#ifdef RUN
static int read_choices(const char *name) {
  int site;
  int64_t value;
  FILE *f = fopen(name, "r");
  if (!f) {
    perror(name);
    return 0;
  }
  while (fscanf(f, "%d=%" SCNd64, &site, &value) == 2) {
    if (site < 0 || site >= SITES) {
      fprintf(stderr, "%s: there is no site %d\n", name, site);
      return 0;
    }
    given[site] = value;
    is_given[site] = 1;
  }
  if (!feof(f)) {
    fprintf(stderr, "%s: want SITE=VALUE\n", name);
    return 0;
  }
  fclose(f);
  return 1;
}

int main(int argc, char **argv) {
  volatile long runs = 0, most = -1, excludes = 0;
  if (argc == 3 && strcmp(argv[1], "seed") == 0) {
    mode = SEED;
    srand((unsigned)atoi(argv[2]));
  } else if (argc == 3 && strcmp(argv[1], "file") == 0) {
    mode = GIVEN;
    if (!read_choices(argv[2]))
      return 3;
  } else if (argc == 3 && strcmp(argv[1], "all") == 0) {
    most = atol(argv[2]);
  } else if (argc != 2 || strcmp(argv[1], "all") != 0) {
    fprintf(stderr, "usage: %s all [N] | seed N | file F\n", argv[0]);
    return 3;
  }
  do {
    if (runs == most) {
      printf("stopped after %ld runs\n", runs);
      return 2;
    }
    s = start;
    depth = 0;
    runs++;
    if (!setjmp(excluded))
      run();
    else
      excludes++;
    known = depth;
    while (known > 0 && made[known - 1].value + 1 >= made[known - 1].beyond)
      known--;
    if (known > 0)
      made[known - 1].value++;
  } while (mode == ALL && known > 0);
  printf("no violation in %ld runs, %ld of them excluded\n", runs, excludes);
  return 0;
}
#else
int main(void) {
  s = start;
  run();
  return 0;
}
#endif
`

const sequentialSC = `/* The runtime: sequential consistency. Every cell is one word. */

static UNUSED void tick(int site) { (void)site; }
static UNUSED void drained(int t) { (void)t; }
static UNUSED void store_fence(int t) { (void)t; }
static UNUSED int all_in_memory(void) { return 1; }
static UNUSED uint64_t memory(int c) { return s.memory[c]; }
static UNUSED uint64_t load(int t, int c) {
  (void)t;
  return s.memory[c];
}
static UNUSED void put(int c, uint64_t value, uint64_t mask) {
  s.memory[c] = (s.memory[c] & ~mask) | (value & mask);
}
static UNUSED int store(int t, int clock, int site, int c, uint64_t value, uint64_t mask) {
  (void)t, (void)clock, (void)site;
  put(c, value, mask);
  return 0;
}

`

const sequentialBuffers = `/* The runtime: %s. A store gets the time at which it reaches memory when it is made, and a
   clock moves on; the stores to a cell wait in the order of their times. */

/* Stores whose time has come reach memory. */
static UNUSED void arrivals(int c) {
  while (s.count[c] > 0 && s.waiting[c][0].time <= s.now) {
    struct write *w = s.waiting[c];
    s.memory[c] = (s.memory[c] & ~w->mask) | (w->value & w->mask);
    for (int i = 1; i < s.count[c]; i++)
      w[i - 1] = w[i];
    s.count[c]--;
  }
}

/* Time passes. */
static UNUSED void tick(int site) { s.now = (int)choose(site, s.now, TIMES); }

/* All stores of a thread are in memory. */
static UNUSED void drained(int t) { __VERIFIER_assume(s.latest[t] <= s.now); }

static UNUSED void store_fence(int t) { s.floor[t] = s.latest[t]; }

static UNUSED int all_in_memory(void) {
  for (int t = 0; t < THREADS; t++)
    if (s.latest[t] > s.now)
      return 0;
  return 1;
}

static UNUSED uint64_t memory(int c) {
  arrivals(c);
  return s.memory[c];
}

/* Each byte comes from the newest store of the thread to it, if that waits, or from memory. */
static UNUSED uint64_t load(int t, int c) {
  uint64_t v = memory(c);
  for (int i = 0; i < 8; i++) {
    uint64_t byte = (uint64_t)255 << (8 * i);
    if (s.newest_time[t][c][i] > s.now)
      v = (v & ~byte) | (s.newest[t][c] & byte);
  }
  return v;
}

/* A write that is in memory at once. */
static UNUSED void put(int c, uint64_t value, uint64_t mask) {
  arrivals(c);
  __VERIFIER_assume(!cells[c].tight || s.count[c] < KEPT - 1);
  s.memory[c] = (s.memory[c] & ~mask) | (value & mask);
}

/* A write with a time, after all with the same time. */
static UNUSED void wait_until(int c, uint64_t value, uint64_t mask, int time) {
  int i;
  __VERIFIER_assume(s.count[c] < KEPT - 1);
  for (i = s.count[c]; i > 0 && s.waiting[c][i - 1].time > time; i--)
    s.waiting[c][i] = s.waiting[c][i - 1];
  s.waiting[c][i].value = value;
  s.waiting[c][i].mask = mask;
  s.waiting[c][i].time = time;
  s.count[c]++;
}

/* A store of a thread; the result is the time at which it reaches memory. */
static UNUSED int store(int t, int clock, int site, int c, uint64_t value, uint64_t mask) {
  int least, time;
  if (cells[c].user == t) { /* no other thread sees it */
    s.memory[c] = (s.memory[c] & ~mask) | (value & mask);
    return s.now;
  }
  arrivals(c);
  if (clock >= 0 && s.count[c] == KEPT - 1) { /* to make room */
    tick(clock);
    arrivals(c);
  }
  least = s.now;
%s  time = (int)choose(site, least, TIMES);
  wait_until(c, value, mask, time);
  for (int i = 0; i < 8; i++)
    if (mask >> (8 * i) & 1)
      s.newest_time[t][c][i] = time;
  s.newest[t][c] = (s.newest[t][c] & ~mask) | (value & mask);
  if (time > s.latest[t])
    s.latest[t] = time;
  return time;
}

`

const (
	sequentialTSO = `  if (s.latest[t] > least) /* the stores of a thread keep their order */
    least = s.latest[t];
`
	sequentialPSO = `  if (s.floor[t] > least)
    least = s.floor[t];
  for (int i = 0; i < 8; i++) /* the stores of a thread to a byte keep their order */
    if ((mask >> (8 * i) & 1) && s.newest_time[t][c][i] > least)
      least = s.newest_time[t][c][i];
`
)

// sequentialHeap has the blocks of programs that allocate. A block has the stores and frees that have not reached memory, in
// the order of their times: one that comes after a free is an error.
const sequentialHeap = `/* Blocks. */

static UNUSED void land(int b) {
  while (s.entries[b] > 0 && s.entering[b][0].time <= s.now) {
    struct entry e = s.entering[b][0];
    for (int i = 1; i < s.entries[b]; i++)
      s.entering[b][i - 1] = s.entering[b][i];
    s.entries[b]--;
    if (s.dead[b])
      fail(e.where);
    if (e.frees)
      s.dead[b] = 1;
  }
}

/* The block that bytes are in, or -1. */
static UNUSED int block_at(uint64_t address, int size) {
  for (int b = 0; b < BLOCKS; b++)
    if (s.exists[b] && address >= blocks[b].address && address + (uint64_t)size <= blocks[b].address + blocks[b].size)
      return b;
  return -1;
}

/* Whether a block is freed for a thread: in memory, or by the thread itself. */
static UNUSED int is_freed(int t, int b) {
  land(b);
  for (int i = 0; i < s.entries[b]; i++)
    if (s.entering[b][i].frees && s.entering[b][i].thread == t)
      return 1;
  return s.dead[b];
}

/* A store or a free that reaches memory later. */
static UNUSED void enter(int t, int b, int frees, int time, const char *where) {
  int i;
  if (b < 0)
    return;
  __VERIFIER_assume(s.entries[b] < ENTRIES);
  for (i = s.entries[b]; i > 0 && s.entering[b][i - 1].time > time; i--)
    s.entering[b][i] = s.entering[b][i - 1];
  s.entering[b][i].thread = t;
  s.entering[b][i].frees = frees;
  s.entering[b][i].time = time;
  s.entering[b][i].where = where;
  s.entries[b]++;
}

static UNUSED uint64_t allocate(int t, int site, uint64_t size, int stack, uint64_t align, uint64_t lead) {
  int again = 0, can[BLOCKS];
  uint64_t used = ((s.used[t] + lead + align - 1) & ~(align - 1)) - lead;
  for (int b = 0; b < BLOCKS; b++) {
    can[b] = s.exists[b] && blocks[b].stack == stack && blocks[b].size == size &&
             (blocks[b].address + lead) % align == 0 && is_freed(t, b);
    again |= can[b];
  }
  if (again) {
    int b = (int)choose(site, 0, BLOCKS + 1) - 1;
    if (b >= 0) {
      __VERIFIER_assume(can[b]);
      s.dead[b] = 0;
      for (int i = 0; i < s.entries[b]; i++)
        if (s.entering[b][i].frees && s.entering[b][i].thread == t) { /* taken back */
          for (int j = i + 1; j < s.entries[b]; j++)
            s.entering[b][j - 1] = s.entering[b][j];
          s.entries[b]--;
          break;
        }
      return blocks[b].address;
    }
  }
  for (int b = 0; b < BLOCKS; b++)
    if (blocks[b].stack == stack && blocks[b].size == size && blocks[b].address == heap[t] + used) {
      s.exists[b] = 1;
      s.used[t] = used + (((size ? size : 1) + UNIT - 1) & ~(uint64_t)(UNIT - 1)) + UNIT;
      return blocks[b].address;
    }
  __VERIFIER_assume(0);
  return 0;
}

/* The block that begins at an address, or -1. */
static UNUSED int beginning(uint64_t address, int stack) {
  for (int b = 0; b < BLOCKS; b++)
    if (s.exists[b] && blocks[b].address == address && blocks[b].stack == stack)
      return b;
  return -1;
}

`

// sequentialFree frees a block under TSO and PSO; after a free, stores do not overtake it.
const sequentialFree = `static UNUSED void free_later(int t, int site, int b, const char *where) {
  int least = s.latest[t] > s.now ? s.latest[t] : s.now;
  s.floor[t] = s.latest[t];
  s.latest[t] = (int)choose(site, least, TIMES);
  enter(t, b, 1, s.latest[t], where);
}

`
