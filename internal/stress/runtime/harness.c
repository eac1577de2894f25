/* The part of a stress program that is the same for every test. Above it stands what
   the test is: struct context, fp_threads, fp_locations, fp_inputs, fp_observed. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 1024, LINE = 64, RELAYOUT = 16, REPIN = 256, OUTCOMES = 1024 };

/* Rounds of a batch: where the locations are, and what each thread gets and leaves. */
static char *locations[SLOTS][LOCATIONS + 1];
static struct context contexts[THREADS][SLOTS];

/* What thread 0 decides before each batch. The barriers order it. */
static struct {
  int stop, relayout, repin, sync;
  uint64_t stride;           /* cycles between the beginnings of two rounds */
  uint64_t start;            /* of the first */
  int64_t shift[THREADS];    /* cycles by which a thread is late */
  unsigned touch[THREADS];   /* locations a thread fetches into its cache before a round */
  uint32_t owners;           /* which thread sets which location back */
} batch;

struct outcome { int64_t value[OBSERVED + 1]; int where[OBSERVED + 1]; long count; };
static struct table { struct outcome entry[OUTCOMES]; long used, lost, rounds; } *tables[THREADS];

static double seconds;
static int cpus[CPU_SETSIZE], cpu_count;
static int pinned;
static volatile int finished;
static char *region, *region_end;
static long slot_lines;

static uint64_t clock_cycles(void) { return __builtin_ia32_rdtsc(); }

static double clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static uint64_t seed;
static uint64_t draw(void) { /* xorshift; thread 0 only */
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed * 0x2545F4914F6CDD1Dull;
}
static uint64_t below(uint64_t n) { return (draw() >> 11) % n; }

/* A barrier for all threads. Whoever waits long gives the processor away: there may be
   more threads than processors, and others use them as well. */
static long arrived;
static void meet(long *phase) {
  *phase += THREADS;
  __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
  for (long spins = 0; __atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < *phase; spins++) {
    if (spins > 1000 || cpu_count < THREADS)
      sched_yield();
    else
      __builtin_ia32_pause();
  }
}

static long lines_of(int l) { return (fp_locations[l].size + LINE - 1) / LINE; }

/* layout puts the locations of every round in a new order, on lines of their own, with
   lines that are not used in between, and at a random offset in the line. */
static void layout(void) {
  for (int k = 0; k < SLOTS; k++) {
    int order[LOCATIONS + 1];
    for (int l = 0; l < LOCATIONS; l++)
      order[l] = l;
    for (int l = LOCATIONS - 1; l > 0; l--) {
      int other = below(l + 1), kept = order[l];
      order[l] = order[other];
      order[other] = kept;
    }
    long line = k * slot_lines + below(3);
    for (int i = 0; i < LOCATIONS; i++) {
      const struct location *l = &fp_locations[order[i]];
      long offset = 0;
      if (l->size < LINE)
        offset = below((LINE - l->size) / l->align + 1) * l->align;
      locations[k][order[i]] = region + line * LINE + offset;
      line += lines_of(order[i]);
    }
  }
}

static void plan(double deadline) {
  static long number;
  static const int strides[] = { 250, 400, 700, 1200, 2500 };
  batch.stop = clock_seconds() >= deadline;
  batch.relayout = number % RELAYOUT == 0;
  batch.repin = number % REPIN == 0;
  if (batch.relayout)
    layout();
  batch.sync = cpu_count >= THREADS && below(8) != 0;
  batch.stride = strides[below(sizeof strides / sizeof *strides)];
  batch.owners = draw() >> 16;
  int spread = below(3) == 0 ? 400 : 60;
  for (int t = 0; t < THREADS; t++) {
    batch.shift[t] = below(spread);
    batch.touch[t] = below(2) ? ~0u : (unsigned)(draw() >> 16);
  }
  number++;
}

static void pin(int t, long turn) {
  if (cpu_count < 2)
    return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpus[(t + turn) % cpu_count], &one);
  if (pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0)
    pinned = 1;
}

/* reset gives locations their first values. The threads share the work in a way that
   changes from batch to batch: a location then begins a round in any of the caches. */
static void reset(int t) {
  for (int k = 0; k < SLOTS; k++)
    for (int i = 0; i < LOCATIONS; i++) {
      uint32_t mixed = (batch.owners + k * 2654435761u + i * 40503u) * 2246822519u;
      if ((mixed >> 16) % THREADS != (uint32_t)t)
        continue;
      const struct location *l = &fp_locations[i];
      char *at = locations[k][i];
      memset(at, 0, l->size);
      memcpy(at, l->init, l->inits);
      for (int p = 0; p < l->count; p++) {
        uint64_t to = (uint64_t)locations[k][l->pointers[p].location] + l->pointers[p].offset;
        memcpy(at + l->pointers[p].at, &to, l->pointers[p].width);
      }
    }
  for (int k = 0; k < SLOTS; k++) {
    struct context *c = &contexts[t][k];
    c->at = locations[k];
    memset(c->out, 0, sizeof c->out);
    for (int i = 0; i < INPUTS; i++) {
      const struct input *in = &fp_inputs[t][i];
      c->in[i] = in->value + (in->location >= 0 ? (uint64_t)locations[k][in->location] : 0);
    }
  }
}

static void rounds(int t) {
  uint64_t at = batch.start + batch.shift[t];
  for (int k = 0; k < SLOTS; k++) {
    for (int l = 0; l < LOCATIONS; l++)
      if (batch.touch[t] >> (l & 31) & 1)
        __builtin_prefetch(locations[k][l], 0);
    if (batch.sync) {
      while ((int64_t)(clock_cycles() - at) < 0)
        ;
      at += batch.stride;
    }
    fp_threads[t](&contexts[t][k]);
  }
}

/* value_of is what a round left at a place that is observed. *where is the location it
   leads to, if it is an address, or -1. */
static int64_t value_of(int k, const struct var *v, int *where) {
  uint64_t raw = 0;
  if (v->thread >= 0)
    raw = contexts[v->thread][k].out[v->out] >> v->shift;
  else
    memcpy(&raw, locations[k][v->location] + v->offset, v->held / 8);
  int64_t value = (int64_t)(raw << (64 - v->held)) >> (64 - v->held);
  if (v->bits < 64) {
    value = (int64_t)((uint64_t)value << (64 - v->bits));
    value = v->is_signed ? value >> (64 - v->bits) : (int64_t)((uint64_t)value >> (64 - v->bits));
  }
  *where = -1;
  for (int l = 0; l < LOCATIONS; l++) {
    uint64_t offset = value - (uint64_t)locations[k][l];
    if (offset < (uint64_t)fp_locations[l].size) {
      *where = l;
      return offset;
    }
  }
  return value;
}

static void add(struct table *table, const struct outcome *o, long count) {
  uint64_t hash = 0;
  for (int i = 0; i < OBSERVED; i++)
    hash = (hash ^ (uint64_t)o->value[i] ^ (uint64_t)(o->where[i] + 1) << 40) * 0x9E3779B97F4A7C15ull + (hash >> 29);
  for (int probe = 0; probe < OUTCOMES; probe++) {
    struct outcome *e = &table->entry[(hash + probe) % OUTCOMES];
    if (e->count == 0) {
      if (table->used >= OUTCOMES - 1)
        break;
      table->used++;
      *e = *o;
      e->count = count;
      return;
    }
    if (memcmp(e->value, o->value, sizeof o->value) == 0 && memcmp(e->where, o->where, sizeof o->where) == 0) {
      e->count += count;
      return;
    }
  }
  table->lost += count;
}

static void count(int t) {
  struct outcome o;
  memset(&o, 0, sizeof o);
  for (int k = t; k < SLOTS; k += THREADS) {
    for (int i = 0; i < OBSERVED; i++)
      o.value[i] = value_of(k, &fp_observed[i], &o.where[i]);
    add(tables[t], &o, 1);
    tables[t]->rounds++;
  }
}

static void *run(void *arg) {
  int t = (int)(long)arg;
  long phase = 0, turn = 0;
  double deadline = clock_seconds() + seconds;
  for (;;) {
    meet(&phase);
    if (t == 0)
      plan(deadline);
    meet(&phase);
    if (batch.stop)
      return 0;
    if (batch.repin)
      pin(t, turn++);
    reset(t);
    if (t == 0)
      batch.start = clock_cycles() + 4000;
    meet(&phase);
    rounds(t);
    meet(&phase);
    count(t);
  }
}

/* report prints how often each outcome was seen. */
static void report(void) {
  struct table *all = tables[0];
  for (int t = 1; t < THREADS; t++) {
    for (int i = 0; i < OUTCOMES; i++)
      if (tables[t]->entry[i].count > 0)
        add(all, &tables[t]->entry[i], tables[t]->entry[i].count);
    all->lost += tables[t]->lost;
    all->rounds += tables[t]->rounds;
  }
  printf("rounds %ld\nlost %ld\nfinished %d\nprocessors %d\npinned %d\n", all->rounds, all->lost, finished, cpu_count, pinned);
  for (int i = 0; i < OUTCOMES; i++) {
    if (all->entry[i].count == 0)
      continue;
    printf("outcome %ld", all->entry[i].count);
    for (int k = 0; k < OBSERVED; k++) {
      if (all->entry[i].where[k] >= 0)
        printf(" @%d+%ld", all->entry[i].where[k], (long)all->entry[i].value[k]);
      else
        printf(" %ld", (long)all->entry[i].value[k]);
    }
    printf("\n");
  }
  printf("end\n");
  fflush(stdout);
}

static void fault(int signal) {
  static const char text[] = "fault\n";
  (void)signal;
  if (write(1, text, sizeof text - 1) < 0)
    _exit(3);
  _exit(2);
}

static void *wait_for_all(void *arg) {
  pthread_t *threads = arg;
  for (int t = 0; t < THREADS; t++)
    pthread_join(threads[t], 0);
  finished = 1;
  return 0;
}

int main(int argc, char **argv) {
  seconds = argc > 1 ? atof(argv[1]) : 1;
  seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0) * 1000003 + getpid();
  seed |= 1;
  set_limits(seconds, THREADS);
  signal(SIGSEGV, fault);
  signal(SIGBUS, fault);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    for (int c = 0; c < CPU_SETSIZE; c++)
      if (CPU_ISSET(c, &allowed))
        cpus[cpu_count++] = c;
  if (cpu_count == 0)
    cpu_count = 1;
  slot_lines = 4;
  for (int l = 0; l < LOCATIONS; l++)
    slot_lines += lines_of(l);
  /* Addresses have to fit into 31 bits, since tests may hold them in 32-bit registers. */
  size_t size = (size_t)slot_lines * SLOTS * LINE;
  region = mmap((void *)REGION_HINT, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (region != MAP_FAILED && (uint64_t)region + size > 0x7fffffff) {
    munmap(region, size);
    region = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  }
  if (region == MAP_FAILED) {
    printf("no memory\n");
    return 1;
  }
  region_end = region + size;
  for (int t = 0; t < THREADS; t++)
    if (!(tables[t] = calloc(1, sizeof *tables[t]))) {
      printf("no memory\n");
      return 1;
    }
  pthread_t threads[THREADS], watcher;
  for (long t = 0; t < THREADS; t++)
    if (pthread_create(&threads[t], 0, run, (void *)t)) {
      printf("no thread\n");
      return 1;
    }
  if (pthread_create(&watcher, 0, wait_for_all, threads)) {
    printf("no thread\n");
    return 1;
  }
  /* A test may loop for ever. What was counted until then is reported. */
  for (double end = clock_seconds() + 2 * seconds + 10; !finished && clock_seconds() < end;)
    usleep(2000);
  report();
  _exit(0);
}
