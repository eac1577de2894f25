// Test-and-set lock, released by a plain store: robust and mutually exclusive for any number of threads.
// expect: robust=any check=any
var lock, owner;
thread worker * n {
  reg got;
  loop {
    do { got = xchg(lock, 1); } while (got == 1);
    cs: skip;
    lock = 0;
  }
}
goal "two inside" worker[0]:cs, worker[1]:cs;
