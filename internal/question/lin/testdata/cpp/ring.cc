// A ring for one producer and one consumer. Under PSO a store that is a release store in C++ is a plain one.
#include <atomic>
class Ring {
  std::atomic<unsigned> head, tail;
  int slot[2];

public:
  Ring();
  bool push(const int &v);
  bool pop(int &v);
};
Ring::Ring() : head(0), tail(0) {}
bool Ring::push(const int &v) {
  unsigned t = tail.load(std::memory_order_relaxed);
  if (t - head.load(std::memory_order_acquire) == 2)
    return false;
  slot[t % 2] = v;
  tail.store(t + 1, std::memory_order_release);
  return true;
}
bool Ring::pop(int &v) {
  unsigned h = head.load(std::memory_order_relaxed);
  if (h == tail.load(std::memory_order_acquire))
    return false;
  v = slot[h % 2];
  head.store(h + 1, std::memory_order_release);
  return true;
}
