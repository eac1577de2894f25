// QEMU's event on hosts without futexes: the waiter resets the event, looks once more at what it waits for, and sleeps.
// source: qemu/qemu eea8fe61b8be8f3016e522e6af24924a0266ca95
// flags: -I qemu/qemu/include
// answers: sc=safe tso=unsafe
// repair: qemu/qemu/util/event.c 120asmp_mb();
// repaired: sc=safe tso=safe
#include "qemu/qemu/util/event.c"

static QemuEvent ev;
static int done;

static void *waker(void *unused) {
  qatomic_set(&done, 1);
  qemu_event_set(&ev);
  return unused;
}

int main(void) {
  pthread_t t;
  qemu_event_init(&ev, true);
  pthread_create(&t, NULL, waker, NULL);
  for (;;) {
    qemu_event_reset(&ev);
    if (qatomic_read(&done)) break;
    qemu_event_wait(&ev);
  }
  pthread_join(t, NULL);
}
