// Two numbers behind a sequence count. BROKEN reads them without it.
#include <atomic>
class Pair {
  std::atomic<unsigned> sequence;
  std::atomic<int> first, second;

public:
  Pair();
  void write(int a, int b);
  void read(int *a, int *b);
};
Pair::Pair() : sequence(0), first(0), second(0) {}
void Pair::write(int a, int b) {
  unsigned s = sequence.load(std::memory_order_relaxed);
  for (;;) {
    while (s & 1)
      s = sequence.load(std::memory_order_relaxed);
    if (sequence.compare_exchange_strong(s, s + 1))
      break;
  }
  first.store(a, std::memory_order_relaxed);
  second.store(b, std::memory_order_relaxed);
  sequence.store(s + 2, std::memory_order_release);
}
void Pair::read(int *a, int *b) {
  for (;;) {
    unsigned s = sequence.load(std::memory_order_acquire);
    int x = first.load(std::memory_order_relaxed), y = second.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
#ifndef BROKEN
    if (s & 1 || sequence.load(std::memory_order_relaxed) != s)
      continue;
#endif
    *a = x;
    *b = y;
    return;
  }
}
