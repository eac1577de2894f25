/* The part of <fencepost/linux.h> whose names <stdatomic.h> does not have: accesses,
   barriers, exchanges and spin locks. */
#ifndef _FP_LINUX_BARRIERS_H
#define _FP_LINUX_BARRIERS_H
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define BUG_ON(x) assert(!(x))
#define BUG() assert(0)

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) do { *(volatile __typeof__(x) *)&(x) = (v); } while (0)
#define ACCESS_ONCE(x) (*(volatile __typeof__(x) *)&(x))

#define barrier() __asm__ volatile("" : : : "memory")
#define cpu_relax() __asm__ volatile("pause" : : : "memory")
#define mb() __sync_synchronize()
#define rmb() barrier()
#define wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_mb() __sync_synchronize()
#define smp_rmb() barrier()
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_read_barrier_depends() ((void)0)
#define smp_mb__before_atomic() barrier()
#define smp_mb__after_atomic() barrier()
#define smp_mb__after_spinlock() barrier()
#define smp_mb__after_unlock_lock() barrier()
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_mb(x, v) ((void)__atomic_exchange_n(&(x), (v), __ATOMIC_SEQ_CST))
#define smp_cond_load_relaxed(p, cond) __extension__ ({ \
    __typeof__(*(p)) VAL; \
    while (VAL = READ_ONCE(*(p)), !(cond)) \
      cpu_relax(); \
    VAL; })
#define smp_cond_load_acquire(p, cond) smp_cond_load_relaxed(p, cond)

#define rcu_assign_pointer(p, v) smp_store_release(&(p), (v))
#define rcu_dereference(p) READ_ONCE(p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define RCU_INIT_POINTER(p, v) WRITE_ONCE(p, v)

#define xchg(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define xchg_relaxed xchg
#define xchg_acquire xchg
#define xchg_release xchg
#define cmpxchg(p, o, n) __sync_val_compare_and_swap((p), (o), (n))
#define cmpxchg_relaxed cmpxchg
#define cmpxchg_acquire cmpxchg
#define cmpxchg_release cmpxchg
#define try_cmpxchg(p, o, n) __atomic_compare_exchange_n((p), (o), (n), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define try_cmpxchg_relaxed try_cmpxchg
#define try_cmpxchg_acquire try_cmpxchg
#define try_cmpxchg_release try_cmpxchg

/* A spin lock: taking it is a locked instruction, giving it back a release store. */
typedef struct { pthread_spinlock_t __fp_word; } spinlock_t;
typedef spinlock_t raw_spinlock_t;
typedef spinlock_t arch_spinlock_t;
#define __SPIN_LOCK_UNLOCKED(x) { 0 }
#define DEFINE_SPINLOCK(x) spinlock_t x = { 0 }
#define DEFINE_RAW_SPINLOCK(x) raw_spinlock_t x = { 0 }
#define spin_lock_init(l) ((void)pthread_spin_init(&(l)->__fp_word, 0))
#define spin_lock(l) ((void)pthread_spin_lock(&(l)->__fp_word))
#define spin_trylock(l) (pthread_spin_trylock(&(l)->__fp_word) == 0)
#define spin_unlock(l) ((void)pthread_spin_unlock(&(l)->__fp_word))
#define spin_is_locked(l) ((l)->__fp_word != 0)
#define spin_lock_irq(l) spin_lock(l)
#define spin_unlock_irq(l) spin_unlock(l)
#define spin_lock_irqsave(l, flags) ((flags) = 0, spin_lock(l))
#define spin_unlock_irqrestore(l, flags) ((void)(flags), spin_unlock(l))
#define spin_lock_bh(l) spin_lock(l)
#define spin_unlock_bh(l) spin_unlock(l)
#define raw_spin_lock(l) spin_lock(l)
#define raw_spin_trylock(l) spin_trylock(l)
#define raw_spin_unlock(l) spin_unlock(l)
#define arch_spin_lock(l) spin_lock(l)
#define arch_spin_trylock(l) spin_trylock(l)
#define arch_spin_unlock(l) spin_unlock(l)
#endif
