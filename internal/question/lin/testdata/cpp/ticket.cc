// A ticket lock. BROKEN takes a ticket with a load and a store.
#include <atomic>
class Ticket {
  std::atomic<unsigned> next, serving;

public:
  Ticket();
  void lock();
  void unlock();
};
Ticket::Ticket() : next(0), serving(0) {}
void Ticket::lock() {
#ifdef BROKEN
  unsigned mine = next.load();
  next.store(mine + 1);
#else
  unsigned mine = next.fetch_add(1);
#endif
  while (serving.load(std::memory_order_acquire) != mine) {
  }
}
void Ticket::unlock() { serving.store(serving.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
