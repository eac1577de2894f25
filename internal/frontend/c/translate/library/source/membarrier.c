/* membarrier(2). A command that asks or registers has no effect; every other one is a fence
   for all threads, which waits until all store buffers are empty. */
enum { query = 0, global_expedited_register = 1 << 2, private_register = 1 << 4, core_register = 1 << 6, rseq_register = 1 << 8 };
enum { commands = (1 << 9) - 1 };

int *__errno_location(void);
void __fp_global_fence(void);

long __fp_membarrier(int command) {
  if (command == query)
    return commands;
  if (command & ~commands || command & (command - 1)) {
    *__errno_location() = 22;
    return -1;
  }
  if (command & (global_expedited_register | private_register | core_register | rseq_register))
    return 0;
  __fp_global_fence();
  return 0;
}
