// A ring buffer for one producer and one consumer, as a template.
// expect: sc=safe tso=safe
#include <atomic>
#include <cassert>
#include <cstddef>
#include <thread>

template <typename T, std::size_t N> class Ring {
  T slot[N];
  std::atomic<std::size_t> head{0}, tail{0};

public:
  bool put(const T &value) {
    std::size_t at = head.load(std::memory_order_relaxed);
    if (at - tail.load(std::memory_order_acquire) == N)
      return false;
    slot[at % N] = value;
    head.store(at + 1, std::memory_order_release);
    return true;
  }
  bool get(T &value) {
    std::size_t at = tail.load(std::memory_order_relaxed);
    if (head.load(std::memory_order_acquire) == at)
      return false;
    value = slot[at % N];
    tail.store(at + 1, std::memory_order_release);
    return true;
  }
};

int main() {
  Ring<int, 2> ring;
  std::thread producer([&] {
    for (int i = 1; i <= 3; i++)
      while (!ring.put(i))
        ;
  });
  for (int i = 1; i <= 3; i++) {
    int value;
    while (!ring.get(value))
      ;
    assert(value == i);
  }
  producer.join();
}
