// An object that two threads share by std::shared_ptr is destroyed once, by the last one.
// expect: sc=safe tso=safe
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<int> destroyed;

struct Shared {
  int value = 7;
  ~Shared() {
    value = 0;
    destroyed++;
  }
};

int main() {
  auto mine = std::make_shared<Shared>();
  std::thread other([theirs = mine] { assert(theirs->value == 7); });
  mine.reset();
  other.join();
  assert(destroyed == 1);
}
