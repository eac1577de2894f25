// Something that one caller can take. The others wait at a condition that nobody signals, and have counted themselves.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given_back = PTHREAD_COND_INITIALIZER;
static int taken, waiting;

void take(void) {
  pthread_mutex_lock(&m);
  while (taken) {
    waiting++;
    pthread_cond_wait(&given_back, &m);
    waiting--;
  }
  taken = 1;
  pthread_mutex_unlock(&m);
}

int count(void) {
  pthread_mutex_lock(&m);
  int out = waiting;
  pthread_mutex_unlock(&m);
  return out;
}
