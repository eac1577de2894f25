// Stores of a value that is there already order nothing.
// paper: RA 0
var x, y, z;
thread detour * n { loop { x = 0; z = 1; x = 0; y = 1; } }
thread reader * n { reg r; loop { y = 2; r = x; assume r == 0; } }
