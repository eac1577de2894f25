// Coherence: a thread reads one variable twice.
// Can it see the new value, and then the old one?
var x;

thread t1 { x = 1; }
thread t2 { reg a, b; a = x; b = x; }

never t2:a == 1 && t2:b == 0;
