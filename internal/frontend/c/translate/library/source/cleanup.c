/* Cleanup handlers: every thread has a list of them, the newest first. */
struct __fp_cleanup { void (*routine)(void *); void *arg; struct __fp_cleanup *next; };
static _Thread_local struct __fp_cleanup *newest;

void __fp_cleanup_push(struct __fp_cleanup *handler) {
  handler->next = newest;
  newest = handler;
}

void __fp_cleanup_pop(struct __fp_cleanup *handler) {
  newest = handler->next;
}

/* pthread_exit runs all of them. */
void __fp_cleanup_all(void) {
  while (newest) {
    struct __fp_cleanup *handler = newest;
    newest = handler->next;
    handler->routine(handler->arg);
  }
}
