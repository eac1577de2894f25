// A sequence lock: a reader tries again if the number has changed meanwhile, or is odd.
// expect: sc=safe tso=safe
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<unsigned> number;
static std::atomic<int> x, y;

int main() {
  std::thread writer([] {
    number.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    x.store(1, std::memory_order_relaxed);
    y.store(1, std::memory_order_relaxed);
    number.store(2, std::memory_order_release);
  });
  unsigned before, after;
  int a, b;
  do {
    before = number.load(std::memory_order_acquire);
    a = x.load(std::memory_order_relaxed);
    b = y.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    after = number.load(std::memory_order_relaxed);
  } while (before != after || before & 1);
  assert(a == b);
  writer.join();
}
