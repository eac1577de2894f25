/* The part of <fencepost/linux.h> about locks that are no spin locks, sequence counters and completions. */
#ifndef _FP_LINUX_LOCKS_H
#define _FP_LINUX_LOCKS_H
#include <fencepost/linux_wait.h>

struct mutex { pthread_mutex_t __fp_lock; int __fp_held; };
#define __MUTEX_INITIALIZER(name) { PTHREAD_MUTEX_INITIALIZER, 0 }
#define DEFINE_MUTEX(name) struct mutex name = __MUTEX_INITIALIZER(name)
#define mutex_init(m) ((void)pthread_mutex_init(&(m)->__fp_lock, NULL), (void)((m)->__fp_held = 0))
#define mutex_destroy(m) ((void)pthread_mutex_destroy(&(m)->__fp_lock))
static inline void mutex_lock(struct mutex *m) {
  pthread_mutex_lock(&m->__fp_lock);
  WRITE_ONCE(m->__fp_held, 1);
}
static inline int mutex_trylock(struct mutex *m) {
  if (pthread_mutex_trylock(&m->__fp_lock) != 0)
    return 0;
  WRITE_ONCE(m->__fp_held, 1);
  return 1;
}
static inline void mutex_unlock(struct mutex *m) {
  WRITE_ONCE(m->__fp_held, 0);
  pthread_mutex_unlock(&m->__fp_lock);
}
#define mutex_lock_interruptible(m) (mutex_lock(m), 0)
#define mutex_lock_killable(m) (mutex_lock(m), 0)
#define mutex_lock_nested(m, subclass) mutex_lock(m)
#define mutex_is_locked(m) (READ_ONCE((m)->__fp_held) != 0)

/* Many readers, or one writer: the number of readers, or -1. A reader begins and ends with locked instructions; whether a
   writer ends with one is the difference between the two kinds. */
struct __fp_readers { int count; };
static inline void __fp_read_lock(struct __fp_readers *l) {
  for (;;) {
    int n = READ_ONCE(l->count);
    if (n >= 0 && try_cmpxchg_acquire(&l->count, &n, n + 1))
      break;
    while (READ_ONCE(l->count) < 0)
      cpu_relax();
  }
}
static inline bool __fp_read_trylock(struct __fp_readers *l) {
  int n = READ_ONCE(l->count);
  while (n >= 0 && !try_cmpxchg_acquire(&l->count, &n, n + 1))
    ;
  return n >= 0;
}
static inline void __fp_read_unlock(struct __fp_readers *l) {
  int n = __atomic_fetch_sub(&l->count, 1, __ATOMIC_RELEASE);
  __FP_MUST(n > 0, "a reader gives back a lock that no reader has");
}
static inline bool __fp_write_trylock(struct __fp_readers *l) {
  int n = 0;
  return READ_ONCE(l->count) == 0 && try_cmpxchg_acquire(&l->count, &n, -1);
}
static inline void __fp_write_lock(struct __fp_readers *l) {
  while (!__fp_write_trylock(l))
    while (READ_ONCE(l->count) != 0)
      cpu_relax();
}

typedef struct { struct __fp_readers __fp_lock; } rwlock_t;
#define __RW_LOCK_UNLOCKED(name) { { 0 } }
#define DEFINE_RWLOCK(name) rwlock_t name = __RW_LOCK_UNLOCKED(name)
#define rwlock_init(l) ((void)((l)->__fp_lock.count = 0))
#define read_lock(l) __fp_read_lock(&(l)->__fp_lock)
#define read_trylock(l) __fp_read_trylock(&(l)->__fp_lock)
#define read_unlock(l) __fp_read_unlock(&(l)->__fp_lock)
#define write_lock(l) __fp_write_lock(&(l)->__fp_lock)
#define write_trylock(l) __fp_write_trylock(&(l)->__fp_lock)
#define write_unlock(l) smp_store_release(&(l)->__fp_lock.count, 0)
#define read_lock_irq(l) read_lock(l)
#define read_unlock_irq(l) read_unlock(l)
#define read_lock_bh(l) read_lock(l)
#define read_unlock_bh(l) read_unlock(l)
#define read_lock_irqsave(l, flags) ((flags) = 0, read_lock(l))
#define read_unlock_irqrestore(l, flags) ((void)(flags), read_unlock(l))
#define write_lock_irq(l) write_lock(l)
#define write_unlock_irq(l) write_unlock(l)
#define write_lock_bh(l) write_lock(l)
#define write_unlock_bh(l) write_unlock(l)
#define write_lock_irqsave(l, flags) ((flags) = 0, write_lock(l))
#define write_unlock_irqrestore(l, flags) ((void)(flags), write_unlock(l))

struct rw_semaphore { struct __fp_readers __fp_lock; };
#define __RWSEM_INITIALIZER(name) { { 0 } }
#define DECLARE_RWSEM(name) struct rw_semaphore name = __RWSEM_INITIALIZER(name)
#define init_rwsem(s) ((void)((s)->__fp_lock.count = 0))
#define down_read(s) __fp_read_lock(&(s)->__fp_lock)
#define down_read_trylock(s) __fp_read_trylock(&(s)->__fp_lock)
#define up_read(s) __fp_read_unlock(&(s)->__fp_lock)
#define down_write(s) __fp_write_lock(&(s)->__fp_lock)
#define down_write_trylock(s) __fp_write_trylock(&(s)->__fp_lock)
#define up_write(s) ((void)__atomic_exchange_n(&(s)->__fp_lock.count, 0, __ATOMIC_RELEASE))
#define downgrade_write(s) ((void)__atomic_exchange_n(&(s)->__fp_lock.count, 1, __ATOMIC_RELEASE))

/* Counting semaphores. */
struct semaphore { unsigned count; };
#define __SEMAPHORE_INITIALIZER(name, n) { n }
#define DEFINE_SEMAPHORE(name, n) struct semaphore name = { n }
#define sema_init(s, n) ((void)((s)->count = (n)))
static inline int down_trylock(struct semaphore *s) {
  unsigned n = READ_ONCE(s->count);
  while (n > 0 && !try_cmpxchg_acquire(&s->count, &n, n - 1))
    ;
  return n == 0;
}
static inline void down(struct semaphore *s) {
  while (down_trylock(s))
    while (READ_ONCE(s->count) == 0)
      cpu_relax();
}
#define down_interruptible(s) (down(s), 0)
#define down_killable(s) (down(s), 0)
#define up(s) ((void)__atomic_fetch_add(&(s)->count, 1, __ATOMIC_RELEASE))

/* Sequence counters: odd while somebody writes. */
typedef struct seqcount { unsigned sequence; } seqcount_t;
#define SEQCNT_ZERO(name) { 0 }
#define seqcount_init(s) ((void)((s)->sequence = 0))
static inline unsigned raw_read_seqcount_begin(const seqcount_t *s) {
  unsigned n;
  while ((n = smp_load_acquire(&s->sequence)) & 1)
    cpu_relax();
  return n;
}
#define read_seqcount_begin(s) raw_read_seqcount_begin(s)
static inline int read_seqcount_retry(const seqcount_t *s, unsigned start) {
  smp_rmb();
  return READ_ONCE(s->sequence) != start;
}
static inline void raw_write_seqcount_begin(seqcount_t *s) {
  WRITE_ONCE(s->sequence, s->sequence + 1);
  smp_wmb();
}
static inline void raw_write_seqcount_end(seqcount_t *s) {
  smp_wmb();
  WRITE_ONCE(s->sequence, s->sequence + 1);
}
#define write_seqcount_begin(s) raw_write_seqcount_begin(s)
#define write_seqcount_end(s) raw_write_seqcount_end(s)
#define write_seqcount_invalidate(s) do { smp_wmb(); WRITE_ONCE((s)->sequence, (s)->sequence + 2); } while (0)

typedef struct { seqcount_t seqcount; spinlock_t lock; } seqlock_t;
#define __SEQLOCK_UNLOCKED(name) { { 0 }, { 0 } }
#define DEFINE_SEQLOCK(name) seqlock_t name = __SEQLOCK_UNLOCKED(name)
#define seqlock_init(s) (seqcount_init(&(s)->seqcount), spin_lock_init(&(s)->lock))
#define read_seqbegin(s) read_seqcount_begin(&(s)->seqcount)
#define read_seqretry(s, start) read_seqcount_retry(&(s)->seqcount, start)
#define write_seqlock(s) do { spin_lock(&(s)->lock); raw_write_seqcount_begin(&(s)->seqcount); } while (0)
#define write_sequnlock(s) do { raw_write_seqcount_end(&(s)->seqcount); spin_unlock(&(s)->lock); } while (0)
#define write_seqlock_irqsave(s, flags) do { (flags) = 0; write_seqlock(s); } while (0)
#define write_sequnlock_irqrestore(s, flags) do { (void)(flags); write_sequnlock(s); } while (0)

/* Completions: how many threads may go on, all of them if it is UINT_MAX. */
struct completion { unsigned done; spinlock_t __fp_lock; };
#define COMPLETION_INITIALIZER(name) { 0, { 0 } }
#define DECLARE_COMPLETION(name) struct completion name = COMPLETION_INITIALIZER(name)
#define DECLARE_COMPLETION_ONSTACK(name) DECLARE_COMPLETION(name)
#define init_completion(c) ((void)((c)->done = 0), spin_lock_init(&(c)->__fp_lock))
#define reinit_completion(c) WRITE_ONCE((c)->done, 0)
#define completion_done(c) (READ_ONCE((c)->done) != 0)
static inline void complete(struct completion *c) {
  spin_lock(&c->__fp_lock);
  if (c->done != ~0u)
    WRITE_ONCE(c->done, c->done + 1);
  spin_unlock(&c->__fp_lock);
}
static inline void complete_all(struct completion *c) {
  spin_lock(&c->__fp_lock);
  WRITE_ONCE(c->done, ~0u);
  spin_unlock(&c->__fp_lock);
}
static inline bool try_wait_for_completion(struct completion *c) {
  if (!READ_ONCE(c->done))
    return false;
  spin_lock(&c->__fp_lock);
  unsigned done = c->done;
  if (done && done != ~0u)
    WRITE_ONCE(c->done, done - 1);
  spin_unlock(&c->__fp_lock);
  return done != 0;
}
static inline void wait_for_completion(struct completion *c) {
  while (!try_wait_for_completion(c))
    while (!READ_ONCE(c->done))
      cpu_relax();
}
#define wait_for_completion_interruptible(c) (wait_for_completion(c), 0)

#define lockdep_assert_held(l) ((void)(l))
#endif
