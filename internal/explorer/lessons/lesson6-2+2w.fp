// Lesson 6: two stores in each thread.
// task: Under PSO each thread's second store can arrive first. Make the outcome impossible.
// fences: at most 2
// expect: sc=safe tso=safe pso=safe
var x, y;

thread t1 {
  x = 1;
  y = 2;
}

thread t2 {
  y = 1;
  x = 2;
}

never x == 1 && y == 1;
