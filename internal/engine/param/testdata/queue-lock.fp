// Queue lock with two slots, in the manner of Anderson's: whoever comes takes the next
// slot and waits for its turn there. Two threads are safe; a third waits in the slot of
// the first, whose turn is not over.
// expect: robust=any check=3
var slot[2] = { 1, 0 }, next;
thread worker * n {
  reg mine, turn;
  loop {
    atomic { mine = next; next = 1 - mine; }
    do { turn = slot[mine]; } while (turn == 0);
    inside: skip;
    slot[mine] = 0;
    slot[1 - mine] = 1;
  }
}
goal "two inside" worker[0]:inside, worker[1]:inside;
