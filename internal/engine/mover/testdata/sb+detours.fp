// paper: RA 0
var x, y;
thread left * n { reg r; loop { x = 0; r = y; assume r == 3; } }
thread middle * n { loop { x = 0; y = 2; } }
thread right * n { reg r; loop { y = 3; r = x; assume r == 0; } }
