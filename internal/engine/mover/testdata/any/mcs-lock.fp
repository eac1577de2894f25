// The list-based queue lock of Mellor-Crummey and Scott, for any number of threads.
// Thread i has node i + 1; of node k, mem[2 * k] says that its thread must wait, and
// mem[2 * k + 1] is the next node.
// paper: RA 2
var tail;

thread worker[i] * n {
  reg pred, wait, succ, ok;
  pred = xchg(tail, i + 1);
  if (pred != 0) {
    mem[2 * i + 2] = 1;
    mem[2 * pred + 1] = i + 1;
    do wait = mem[2 * i + 2]; while (wait != 0);
  }
  succ = mem[2 * i + 3];
  if (succ == 0) {
    ok = cas(tail, i + 1, 0);
    if (ok != 0) return;
    do succ = mem[2 * i + 3]; while (succ == 0);
  }
  mem[2 * succ] = 0;
  mem[2 * i + 3] = 0;
}
