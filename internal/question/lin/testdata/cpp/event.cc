// An event. With SHOWN, threads that wait for it can be counted.
#include <atomic>

class Event {
  std::atomic<int> happened, waiting;

public:
  Event();
  void wait();
  void set();
  int sees();
};

Event::Event() : happened(0), waiting(0) {}

void Event::wait() {
#ifdef SHOWN
  waiting.fetch_add(1);
#endif
  while (!happened.load(std::memory_order_acquire)) {
  }
#ifdef SHOWN
  waiting.fetch_sub(1);
#endif
}

void Event::set() { happened.store(1, std::memory_order_release); }

int Event::sees() { return happened.load() ? -1 : waiting.load(); }
