// A lock that spins on a flag, used by std::lock_guard.
// expect: sc=safe tso=safe
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Spinlock {
  std::atomic<bool> taken{false};

public:
  void lock() {
    while (taken.exchange(true, std::memory_order_acquire))
      while (taken.load(std::memory_order_relaxed))
        ;
  }
  void unlock() { taken.store(false, std::memory_order_release); }
};

static Spinlock guard;
static int count;

static void add() {
  std::lock_guard<Spinlock> hold(guard);
  count++;
}

int main() {
  std::thread other(add);
  add();
  other.join();
  assert(count == 2);
}
