// A value is handed over by a mutex and a condition. The signal is given before the value is there: the one
// who waits for it may sleep for ever.
// expect: sc=unsafe tso=unsafe
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex guard;
static std::condition_variable changed;
static int value;

int main() {
  std::thread other([] {
    changed.notify_one();
    std::lock_guard<std::mutex> hold(guard);
    value = 1;
  });
  {
    std::unique_lock<std::mutex> hold(guard);
    changed.wait(hold, [] { return value == 1; });
  }
  other.join();
}
