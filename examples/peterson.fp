// Peterson's mutual exclusion for two threads, once each. The store of the flag
// must reach memory before the other's flag is read; buffers delay it.
// expect: sc=safe tso=unsafe pso=unsafe
program peterson

var flag[2], turn;

thread p[i] * 2 {
  reg f, t;
  flag[i] = 1;
  turn = 1 - i;
  do {
    f = flag[1 - i];
    t = turn;
  } while (f == 1 && t == 1 - i);
  cs: skip;
  flag[i] = 0;
}

goal "both inside" p[0]:cs, p[1]:cs;
