// A ring buffer of C++ for one producer and one consumer, a template: right on x86.
// expect: sc=safe tso=safe robust=no
#include "fencepost.h"
#include <atomic>
#include <cstddef>

template <typename T, size_t N> class Ring {
  T slot[N];
  std::atomic<size_t> head{0}, tail{0};

public:
  bool put(const T &v) {
    size_t h = head.load(std::memory_order_relaxed);
    if (h - tail.load(std::memory_order_acquire) == N)
      return false;
    slot[h % N] = v;
    head.store(h + 1, std::memory_order_release);
    return true;
  }
  bool get(T *v) {
    size_t t = tail.load(std::memory_order_relaxed);
    if (head.load(std::memory_order_acquire) == t)
      return false;
    *v = slot[t % N];
    tail.store(t + 1, std::memory_order_release);
    return true;
  }
};

static Ring<int, 2> ring;

static void *producer(void *) {
  for (int i = 1; i <= 3; i++)
    while (!ring.put(i))
      ;
  return nullptr;
}

int main() {
  pthread_t t = fencepost_spawn(producer, nullptr);
  for (int i = 1; i <= 3; i++) {
    int v;
    while (!ring.get(&v))
      ;
    assert(v == i);
  }
  fencepost_join(t);
}
