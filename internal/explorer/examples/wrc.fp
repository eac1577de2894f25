// Write-to-read causality: the second thread reads a store and tells the third.
// Can the third thread miss the store?
var x, y;

thread t1 { x = 1; }
thread t2 { reg a; a = x; if (a == 1) { y = 1; } }
thread t3 { reg b, c; b = y; c = x; }

never t3:b == 1 && t3:c == 0;
