// A spin lock: compare-and-swap waits until the buffer is empty.
var lock, inside;

thread worker * 2 {
  reg free, r;
  do { free = cas(lock, 0, 1); } while (free == 0);
  inside = inside + 1;
  r = inside;
  assert r == 1;
  inside = inside - 1;
  lock = 0;
}
