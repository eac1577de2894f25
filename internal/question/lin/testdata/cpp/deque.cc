// A work-stealing deque of fixed size, after Chase and Lev, with globals and functions of C. NO_FENCE leaves out the fence of take.
#include <atomic>
static std::atomic<int> top, bottom, slot[8];
extern "C" void push(int v) {
  int b = bottom.load(std::memory_order_relaxed);
  slot[b].store(v, std::memory_order_relaxed);
  bottom.store(b + 1, std::memory_order_release);
}
extern "C" int take() {
  int b = bottom.load(std::memory_order_relaxed) - 1;
  bottom.store(b, std::memory_order_relaxed);
#ifndef NO_FENCE
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  int t = top.load(std::memory_order_relaxed), v = 0;
  if (t > b) {
    bottom.store(b + 1, std::memory_order_relaxed);
    return 0;
  }
  v = slot[b].load(std::memory_order_relaxed);
  if (t == b) {
    if (!top.compare_exchange_strong(t, t + 1))
      v = 0;
    bottom.store(b + 1, std::memory_order_relaxed);
  }
  return v;
}
extern "C" int steal() {
  int t = top.load(std::memory_order_acquire);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  int b = bottom.load(std::memory_order_acquire);
  if (t >= b)
    return 0;
  int v = slot[t].load(std::memory_order_relaxed);
  return top.compare_exchange_strong(t, t + 1) ? v : -1;
}
