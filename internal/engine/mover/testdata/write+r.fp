// paper: RA 0
var x, y;
thread first * n { loop { x = 1; y = 1; } }
thread second * n { reg r; loop { x = 1; y = 2; r = x; assume r == 1; } }
