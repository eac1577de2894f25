// Two threads of C++ raise flags and look at each other's. Release stores and acquire loads are plain moves on x86:
// both threads can enter.
// expect: sc=safe tso=unsafe robust=no
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Gate {
  std::atomic<bool> flag[2] = {};

public:
  bool enter(int me) {
    flag[me].store(true, std::memory_order_release);
    return !flag[1 - me].load(std::memory_order_acquire);
  }
};

static Gate gate;
static std::atomic<int> inside;
static std::mutex lock;
static int entered;

static void work(int me) {
  if (gate.enter(me)) {
    assert(inside.fetch_add(1, std::memory_order_relaxed) == 0);
    std::lock_guard<std::mutex> guard(lock);
    entered++;
  }
}

int main() {
  std::thread other(work, 1);
  work(0);
  other.join();
  std::lock_guard<std::mutex> guard(lock);
  assert(entered <= 1);
}
