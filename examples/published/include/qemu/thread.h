// The event of QEMU's include/qemu/thread.h on a host without futexes.
#ifndef PUBLISHED_QEMU_THREAD_H
#define PUBLISHED_QEMU_THREAD_H
typedef struct QemuEvent {
  int value;
  pthread_mutex_t lock;
  pthread_cond_t cond;
  bool initialized;
} QemuEvent;
#endif
