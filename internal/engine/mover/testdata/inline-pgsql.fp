// Workers of PostgreSQL that pass work on in a ring: a latch wakes a worker, and
// its flag says that there is work.
// paper: RA 2
const WORKERS = 3;
var latch[WORKERS] = {1}, flag[WORKERS] = {1};

thread worker[i] * WORKERS {
  reg woken, work;
  loop {
    do woken = latch[i]; while (woken == 0);
    latch[i] = 0;
    work = flag[i];
    if (work != 0) {
      flag[i] = 0;
      flag[(i + 1) % WORKERS] = 1;
      latch[(i + 1) % WORKERS] = 1;
    }
  }
}
