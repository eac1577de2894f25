// Lesson 5: Peterson's algorithm.
// task: Only one thread may be inside at a time. Find the two fences that TSO needs.
// fences: at most 2
// expect: sc=safe tso=safe
var flag1, flag2, turn, inside;

thread p1 {
  reg f, t, n;
  flag1 = 1;
  turn = 2;
  do { f = flag2; t = turn; } while (f == 1 && t == 2);
  inside = inside + 1;
  n = inside;
  assert n == 1;
  inside = inside - 1;
  flag1 = 0;
}

thread p2 {
  reg f, t, n;
  flag2 = 1;
  turn = 1;
  do { f = flag1; t = turn; } while (f == 1 && t == 1);
  inside = inside + 1;
  n = inside;
  assert n == 1;
  inside = inside - 1;
  flag2 = 0;
}
