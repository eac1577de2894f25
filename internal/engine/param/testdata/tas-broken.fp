// The test and the set are apart: two threads get in. One variable alone is always robust.
// expect: robust=any check=2
var lock;
thread worker * n {
  reg got;
  loop {
    do { got = lock; } while (got == 1);
    lock = 1;
    cs: skip;
    lock = 0;
  }
}
goal "two inside" worker[0]:cs, worker[1]:cs;
