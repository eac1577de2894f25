// The list-based queue lock of Mellor-Crummey and Scott. Thread i has node i + 1.
// paper: RA 2
const WORKERS = 2;
var tail, locked[WORKERS + 1], next[WORKERS + 1];

thread worker[i] * WORKERS {
  reg pred, wait, succ, ok;
  pred = xchg(tail, i + 1);
  if (pred != 0) {
    locked[i + 1] = 1;
    next[pred] = i + 1;
    do wait = locked[i + 1]; while (wait != 0);
  }
  succ = next[i + 1];
  if (succ == 0) {
    ok = cas(tail, i + 1, 0);
    if (ok != 0) return;
    do succ = next[i + 1]; while (succ == 0);
  }
  locked[succ] = 0;
  next[i + 1] = 0;
}
