/* A stack in an array behind a mutex. The reader takes elements without asking
   whether there are any; with SAFE it asks. */
#include <pthread.h>
#include <assert.h>

#ifndef SIZE
#define SIZE 2
#endif
#define EMPTY (-1)

static int stack[SIZE], top;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(int v) { stack[top++] = v; }

static int pop(void) {
  if (top == 0)
    return EMPTY;
  return stack[--top];
}

static void *writer(void *arg) {
  for (int k = 0; k < SIZE; k++) {
    pthread_mutex_lock(&lock);
    push(k);
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

static void *reader(void *arg) {
  for (int k = 0; k < SIZE; k++) {
    pthread_mutex_lock(&lock);
#ifdef SAFE
    if (top > 0)
#endif
      assert(pop() != EMPTY);
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
