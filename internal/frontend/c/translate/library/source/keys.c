/* Keys: a counter, the destructors, and every thread's values. Threads may create and
   delete keys while others end, so what they share is atomic; it orders nothing. */
enum { keys = 8, rounds = 4, again = 11 };
static unsigned key_count;
static void (*key_destructor[keys])(void *);
static _Thread_local const void *key_value[keys];

void __fp_destroy(void (*)(void *), void *);

int pthread_key_create(unsigned *key, void (*destructor)(void *)) {
  unsigned k = __atomic_fetch_add(&key_count, 1, __ATOMIC_RELAXED);
  if (k >= keys)
    return again;
  __atomic_store_n(&key_destructor[k], destructor, __ATOMIC_RELAXED);
  *key = k;
  return 0;
}

int pthread_key_delete(unsigned key) {
  __atomic_store_n(&key_destructor[key], 0, __ATOMIC_RELAXED);
  return 0;
}

int pthread_setspecific(unsigned key, const void *value) {
  key_value[key] = value;
  return 0;
}

void *pthread_getspecific(unsigned key) {
  return (void *)key_value[key];
}

int tss_create(unsigned *key, void (*destructor)(void *)) {
  return pthread_key_create(key, destructor) ? 2 : 0;
}

void tss_delete(unsigned key) {
  __atomic_store_n(&key_destructor[key], 0, __ATOMIC_RELAXED);
}

int tss_set(unsigned key, void *value) {
  key_value[key] = value;
  return 0;
}

void *tss_get(unsigned key) {
  return (void *)key_value[key];
}

/* Destructors run until no value with one is left, but not for ever. */
void __fp_thread_end(void) {
  unsigned count = __atomic_load_n(&key_count, __ATOMIC_RELAXED);
  for (int round = 0, found = 1; found && round < rounds; round++) {
    found = 0;
    for (unsigned k = 0; k < count && k < keys; k++) {
      const void *value = key_value[k];
      if (!value)
        continue;
      void (*destructor)(void *) = __atomic_load_n(&key_destructor[k], __ATOMIC_RELAXED);
      if (!destructor)
        continue;
      key_value[k] = 0;
      found = 1;
      __fp_destroy(destructor, (void *)value);
    }
  }
}
