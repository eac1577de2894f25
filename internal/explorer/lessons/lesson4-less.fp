// Lesson 4: fences cost time.
// task: A cautious author put a fence after every line. Keep one, and the program must still be correct under TSO.
// fences: at most 1
// expect: sc=safe tso=safe
var x, y, z;

thread t1 {
  reg a;
  x = 1;
  fence;
  z = 1;
  fence;
  a = y;
  fence;
}

thread t2 {
  reg b, c;
  c = cas(y, 0, 1);
  fence;
  b = x;
  fence;
}

never t1:a == 0 && t2:b == 0;
