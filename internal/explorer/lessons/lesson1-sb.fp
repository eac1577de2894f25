// Lesson 1: store buffering.
// task: Both threads can read 0, because their stores wait in buffers. Make it impossible under TSO.
// fences: at most 2
// expect: sc=safe tso=safe
var x, y;

thread t1 {
  reg r1;
  x = 1;
  r1 = y;
}

thread t2 {
  reg r2;
  y = 1;
  r2 = x;
}

never t1:r1 == 0 && t2:r2 == 0;
