// Two threads that ask each other before they enter: the store of one's own flag must not wait in the store buffer
// while the other flag is read, which memory_order_release allows.
// expect: sc=safe tso=unsafe
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<bool> wants[2];
static std::atomic<int> inside;

static void enter(int me) {
  wants[me].store(true, std::memory_order_release);
  if (!wants[1 - me].load(std::memory_order_acquire)) {
    assert(inside.fetch_add(1) == 0);
    inside.fetch_sub(1);
  }
  wants[me].store(false, std::memory_order_release);
}

int main() {
  std::thread other(enter, 1);
  enter(0);
  other.join();
}
