/* The part of <fencepost/linux.h> about threads of the kernel, and about waiting for others. */
#ifndef _FP_LINUX_WAIT_H
#define _FP_LINUX_WAIT_H
#include <stdlib.h>
#include <fencepost/linux_atomic.h>

#ifdef __FENCEPOST__
_Bool __VERIFIER_nondet_bool(void);
#define __fp_maybe() __VERIFIER_nondet_bool()
#else
#define __fp_maybe() 0
#endif

#define TASK_RUNNING 0
#define TASK_INTERRUPTIBLE 1
#define TASK_UNINTERRUPTIBLE 2
#define TASK_IDLE 0x402

struct task_struct {
  int __state;
  int __fp_should_stop;
  int __fp_result;
  int (*__fp_function)(void *);
  void *__fp_data;
  pthread_t __fp_thread;
};
static struct task_struct __fp_main_task;
static __thread struct task_struct *__fp_task;
#define current (__fp_task ? __fp_task : &__fp_main_task)

/* To sleep until somebody sets the state. */
#define set_current_state(s) smp_store_mb(current->__state, (s))
#define __set_current_state(s) WRITE_ONCE(current->__state, (s))
static inline void schedule(void) {
  struct task_struct *t = current;
  while (smp_load_acquire(&t->__state) != TASK_RUNNING)
    cpu_relax();
}
static inline int wake_up_process(struct task_struct *t) {
  return __atomic_exchange_n(&t->__state, TASK_RUNNING, __ATOMIC_SEQ_CST) != TASK_RUNNING;
}

static inline void *kthread(void *arg) {
  __fp_task = arg;
  __fp_task->__fp_result = __fp_task->__fp_function(__fp_task->__fp_data);
  return NULL;
}
static inline struct task_struct *__fp_kthread_run(int (*function)(void *), void *data) {
  struct task_struct *t = malloc(sizeof *t);
  t->__state = TASK_RUNNING;
  t->__fp_should_stop = 0;
  t->__fp_function = function;
  t->__fp_data = data;
  pthread_create(&t->__fp_thread, NULL, kthread, t);
  return t;
}
#define kthread_run(function, data, ...) __fp_kthread_run((function), (data))
#define kthread_should_stop() (READ_ONCE(current->__fp_should_stop) != 0)
static inline int kthread_stop(struct task_struct *t) {
  (void)__atomic_fetch_or(&t->__fp_should_stop, 1, __ATOMIC_RELAXED);
  wake_up_process(t);
  pthread_join(t->__fp_thread, NULL);
  int result = t->__fp_result;
  free(t);
  return result;
}

/* Queues of waiting threads. To join a queue is a full barrier before the condition is read, and to wake takes the lock of
   the queue, which is one before the queue is read. All that wait are woken. */
struct wait_queue_head { unsigned __fp_waiting, __fp_woken; };
typedef struct wait_queue_head wait_queue_head_t;
#define __WAIT_QUEUE_HEAD_INITIALIZER(name) { 0, 0 }
#define DECLARE_WAIT_QUEUE_HEAD(name) wait_queue_head_t name = { 0, 0 }
#define DECLARE_WAIT_QUEUE_HEAD_ONSTACK(name) DECLARE_WAIT_QUEUE_HEAD(name)
#define init_waitqueue_head(q) ((void)((q)->__fp_waiting = (q)->__fp_woken = 0))
static inline void __fp_wake_up(wait_queue_head_t *q) {
  if (__atomic_fetch_add(&q->__fp_waiting, 0, __ATOMIC_SEQ_CST))
    (void)__atomic_fetch_add(&q->__fp_woken, 1, __ATOMIC_SEQ_CST);
}
#define wake_up(q) __fp_wake_up(q)
#define wake_up_all(q) __fp_wake_up(q)
#define wake_up_interruptible(q) __fp_wake_up(q)
#define wake_up_interruptible_all(q) __fp_wake_up(q)
#define waitqueue_active(q) (READ_ONCE((q)->__fp_waiting) != 0)
#define wq_has_sleeper(q) (smp_mb(), waitqueue_active(q))
#define wait_event(q, condition) do { \
    if (condition) \
      break; \
    (void)__atomic_fetch_add(&(q).__fp_waiting, 1, __ATOMIC_SEQ_CST); \
    for (;;) { \
      unsigned __fp_before = smp_load_acquire(&(q).__fp_woken); \
      if (condition) \
        break; \
      while (smp_load_acquire(&(q).__fp_woken) == __fp_before) \
        cpu_relax(); \
    } \
    (void)__atomic_fetch_sub(&(q).__fp_waiting, 1, __ATOMIC_SEQ_CST); \
  } while (0)
#define wait_event_interruptible(q, condition) __extension__ ({ wait_event(q, condition); 0; })
#define wait_event_killable(q, condition) wait_event_interruptible(q, condition)
#define wait_event_idle(q, condition) wait_event(q, condition)
/* The time may be over before the condition holds. */
#define wait_event_timeout(q, condition, timeout) __extension__ ({ \
    long __fp_left = (timeout); \
    if (__fp_maybe()) \
      __fp_left = (condition) ? 1 : 0; \
    else \
      wait_event(q, condition); \
    __fp_left; })
#define wait_event_interruptible_timeout(q, condition, timeout) wait_event_timeout(q, condition, timeout)

/* What takes time and changes nothing. */
#define cond_resched() barrier()
#define might_sleep() barrier()
#define msleep(ms) ((void)(ms), __atomic_signal_fence(__ATOMIC_SEQ_CST))
#define ssleep(s) ((void)(s), __atomic_signal_fence(__ATOMIC_SEQ_CST))
#define usleep_range(from, to) ((void)(from), (void)(to), __atomic_signal_fence(__ATOMIC_SEQ_CST))
#define udelay(us) ((void)(us), __atomic_signal_fence(__ATOMIC_SEQ_CST))
#define ndelay(ns) ((void)(ns), __atomic_signal_fence(__ATOMIC_SEQ_CST))
#define mdelay(ms) ((void)(ms), __atomic_signal_fence(__ATOMIC_SEQ_CST))
#define preempt_disable() barrier()
#define preempt_enable() barrier()
#define local_irq_disable() barrier()
#define local_irq_enable() barrier()
#define local_irq_save(flags) ((flags) = 0, __atomic_signal_fence(__ATOMIC_SEQ_CST))
#define local_irq_restore(flags) ((void)(flags), __atomic_signal_fence(__ATOMIC_SEQ_CST))
#define local_bh_disable() barrier()
#define local_bh_enable() barrier()
#endif
