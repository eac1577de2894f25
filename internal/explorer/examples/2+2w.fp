// 2+2W: both threads store to both variables, in opposite orders.
// Can each first store be the one that stays?
var x, y;

thread t1 { x = 1; y = 2; }
thread t2 { y = 1; x = 2; }

never x == 1 && y == 1;
