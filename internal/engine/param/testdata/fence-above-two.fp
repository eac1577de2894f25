// The first two threads synchronise by read-modify-writes; a third makes the
// unfenced store and load matter.
// expect: robust=3
var turn, x, y;
thread w * n {
  reg me, r;
  atomic { me = turn; if (me < 3) { turn = me + 1; } }
  if (me > 2) { assume 0; }
  if (me == 1) { x = 1; r = y; }
  if (me == 2) { y = 1; fence; r = x; }
}
