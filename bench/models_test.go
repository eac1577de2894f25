package bench_test

// Mutual exclusion algorithms for N threads that never stop, with the fences
// they need under TSO. Each has a goal that must not be reached, so that both
// tools visit all states.

const peterson = `
// Peterson's algorithm for N threads: N-1 levels, at each of which one waits.
const N = %d;
var level[N], last[N];
thread p[i] * N {
  reg l, k, r;
  loop {
    l = 1;
    while (l < N) {
      level[i] = l;
      last[l] = i;
      fence;
      k = 0;
      while (k < N) {
        if (k != i) {
          r = level[k];
          while (r >= l && last[l] == i) { r = level[k]; }
        }
        k = k + 1;
      }
      l = l + 1;
    }
    cs: skip;
    level[i] = 0;
  }
}
goal p[0]:cs, p[1]:cs;
`

const lamport = `
// Lamport's fast mutex [L87].
const N = %d;
var x, y, b[N];
thread p[i] * N {
  reg j;
  start:
  b[i] = 1;
  x = i + 1;
  fence;
  if (y != 0) {
    b[i] = 0;
    await y == 0;
    goto start;
  }
  y = i + 1;
  fence;
  if (x != i + 1) {
    b[i] = 0;
    j = 0;
    while (j < N) {
      await b[j] == 0;
      j = j + 1;
    }
    if (y != i + 1) {
      await y == 0;
      goto start;
    }
  }
  cs: skip;
  y = 0;
  b[i] = 0;
  goto start;
}
goal p[0]:cs, p[1]:cs;
`

const szymanski = `
// Szymanski's algorithm; all scans go from 0 up.
const N = %d;
var flag[N];
thread p[i] * N {
  reg j, r, waiting;
  loop {
    flag[i] = 1;
    fence;
    j = 0;
    while (j < N) { await flag[j] <= 2; j = j + 1; }
    flag[i] = 3;
    fence;
    j = 0;
    waiting = 0;
    while (j < N) {
      if (flag[j] == 1) waiting = 1;
      j = j + 1;
    }
    if (waiting) {
      flag[i] = 2;
      fence;
      r = 0;
      while (r != 4) {
        j = 0;
        while (j < N && r != 4) { r = flag[j]; j = j + 1; }
      }
    }
    flag[i] = 4;
    fence;
    j = 0;
    while (j < i) { await flag[j] < 2; j = j + 1; }
    cs: skip;
    j = i + 1;
    while (j < N) { await (flag[j] & 2) == 0; j = j + 1; }
    flag[i] = 0;
  }
}
goal p[0]:cs, p[1]:cs;
`

const mcs = `
// The queue lock of Mellor-Crummey and Scott; node 0 is nobody.
const N = %d;
var next[N + 1], wait[N + 1], tail;
thread p[i] * N {
  reg me, pred, succ;
  me = i + 1;
  start:
  next[me] = 0;
  wait[me] = 1;
  pred = xchg(tail, me);
  if (pred != 0) {
    next[pred] = me;
    await wait[me] == 0;
  }
  cs: skip;
  succ = next[me];
  if (succ == 0) {
    if (cas(tail, me, 0))
      goto start;
    await next[me] != 0;
    succ = next[me];
  }
  wait[succ] = 0;
  goto start;
}
goal p[0]:cs, p[1]:cs;
`
