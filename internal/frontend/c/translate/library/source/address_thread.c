// Functions whose addresses programs take: calls through pointers go to these.
#include <pthread.h>
#include <sched.h>

int __fp_address_pthread_mutex_lock(pthread_mutex_t *m) {
  return pthread_mutex_lock(m);
}

int __fp_address_pthread_mutex_trylock(pthread_mutex_t *m) {
  return pthread_mutex_trylock(m);
}

int __fp_address_pthread_mutex_unlock(pthread_mutex_t *m) {
  return pthread_mutex_unlock(m);
}

int __fp_address_pthread_spin_lock(pthread_spinlock_t *l) {
  return pthread_spin_lock(l);
}

int __fp_address_pthread_spin_unlock(pthread_spinlock_t *l) {
  return pthread_spin_unlock(l);
}

pthread_t __fp_address_pthread_self(void) {
  return pthread_self();
}

int __fp_address_sched_yield(void) {
  return sched_yield();
}
