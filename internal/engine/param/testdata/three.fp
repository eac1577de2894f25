// Store buffering in a ring of three roles, taken in turn: two threads are not enough.
// expect: robust=3
var turn, x, y, z;
thread w * n {
  reg me, r;
  atomic { me = turn; if (me < 3) { turn = me + 1; } }
  if (me == 0) { x = 1; r = y; }
  if (me == 1) { y = 1; r = z; }
  if (me == 2) { z = 1; r = x; }
  if (me > 2) { assume 0; }
}
