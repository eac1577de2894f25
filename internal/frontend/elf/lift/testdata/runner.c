// Runs machine code with given registers, flags and memory, and says what became of them. The standard
// input has batches: the number of states, the length of the code, the code, and the states. Structs
// with the results go to the standard output.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { MEMORY = 4096 };
#define MEMORY_AT ((unsigned char *)0x20000000)
#define CODE_AT ((unsigned char *)0x30000000)

struct state {
  uint64_t regs[16];
  uint64_t vectors[32];
  uint64_t flags;
  uint64_t fault; // the signal, 0 if there was none
  unsigned char memory[MEMORY];
} state;

uint64_t saved_rsp;
void run(void);
extern char after[];

__asm__(
  ".intel_syntax noprefix\n"
  ".text\n"
  "run:\n"
  "  push rbx\n  push rbp\n  push r12\n  push r13\n  push r14\n  push r15\n"
  "  mov [rip+saved_rsp], rsp\n"
  "  push qword ptr [rip+state+384]\n"
  "  popfq\n"
  "  movups xmm0, [rip+state+128]\n  movups xmm1, [rip+state+144]\n"
  "  movups xmm2, [rip+state+160]\n  movups xmm3, [rip+state+176]\n"
  "  movups xmm4, [rip+state+192]\n  movups xmm5, [rip+state+208]\n"
  "  movups xmm6, [rip+state+224]\n  movups xmm7, [rip+state+240]\n"
  "  movups xmm8, [rip+state+256]\n  movups xmm9, [rip+state+272]\n"
  "  movups xmm10, [rip+state+288]\n  movups xmm11, [rip+state+304]\n"
  "  movups xmm12, [rip+state+320]\n  movups xmm13, [rip+state+336]\n"
  "  movups xmm14, [rip+state+352]\n  movups xmm15, [rip+state+368]\n"
  "  mov rax, [rip+state+0]\n  mov rcx, [rip+state+8]\n  mov rdx, [rip+state+16]\n  mov rbx, [rip+state+24]\n"
  "  mov rsp, [rip+state+32]\n  mov rbp, [rip+state+40]\n  mov rsi, [rip+state+48]\n  mov rdi, [rip+state+56]\n"
  "  mov r8, [rip+state+64]\n  mov r9, [rip+state+72]\n  mov r10, [rip+state+80]\n  mov r11, [rip+state+88]\n"
  "  mov r12, [rip+state+96]\n  mov r13, [rip+state+104]\n  mov r14, [rip+state+112]\n  mov r15, [rip+state+120]\n"
  "  jmp [rip+code_at]\n"
  "after:\n"
  "  mov [rip+state+0], rax\n  mov [rip+state+8], rcx\n  mov [rip+state+16], rdx\n  mov [rip+state+24], rbx\n"
  "  mov [rip+state+32], rsp\n  mov [rip+state+40], rbp\n  mov [rip+state+48], rsi\n  mov [rip+state+56], rdi\n"
  "  mov [rip+state+64], r8\n  mov [rip+state+72], r9\n  mov [rip+state+80], r10\n  mov [rip+state+88], r11\n"
  "  mov [rip+state+96], r12\n  mov [rip+state+104], r13\n  mov [rip+state+112], r14\n  mov [rip+state+120], r15\n"
  "  movups [rip+state+128], xmm0\n  movups [rip+state+144], xmm1\n"
  "  movups [rip+state+160], xmm2\n  movups [rip+state+176], xmm3\n"
  "  movups [rip+state+192], xmm4\n  movups [rip+state+208], xmm5\n"
  "  movups [rip+state+224], xmm6\n  movups [rip+state+240], xmm7\n"
  "  movups [rip+state+256], xmm8\n  movups [rip+state+272], xmm9\n"
  "  movups [rip+state+288], xmm10\n  movups [rip+state+304], xmm11\n"
  "  movups [rip+state+320], xmm12\n  movups [rip+state+336], xmm13\n"
  "  movups [rip+state+352], xmm14\n  movups [rip+state+368], xmm15\n"
  "  mov rsp, [rip+saved_rsp]\n"
  "  pushfq\n"
  "  pop qword ptr [rip+state+384]\n"
  "  cld\n"
  "  pop r15\n  pop r14\n  pop r13\n  pop r12\n  pop rbp\n  pop rbx\n"
  "  ret\n"
  ".data\n"
  "code_at: .quad 0x30000000\n"
  ".text\n"
  ".att_syntax\n");

static sigjmp_buf back;

static void caught(int sig) {
  state.fault = (uint64_t)sig;
  siglongjmp(back, 1);
}

int main(void) {
  static unsigned char stack[1 << 16];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_handler = caught;
  act.sa_flags = SA_ONSTACK | SA_NODEFER;
  sigaltstack(&alternate, 0);
  sigaction(SIGFPE, &act, 0);
  sigaction(SIGILL, &act, 0);
  sigaction(SIGSEGV, &act, 0);
  sigaction(SIGBUS, &act, 0);
  if (mmap(MEMORY_AT, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MEMORY_AT ||
      mmap(CODE_AT, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != CODE_AT)
    return 1;
  uint64_t head[2];
  while (fread(head, sizeof head, 1, stdin) == 1) {
    uint64_t length = head[1];
    if (length > 256 || fread(CODE_AT, 1, length, stdin) != length)
      return 1;
    unsigned char *end = CODE_AT + length; // jmp [rip+0], and the address
    char *to = after;
    memcpy(end, "\xff\x25\0\0\0\0", 6);
    memcpy(end + 6, &to, sizeof to);
    for (uint64_t n = 0; n < head[0]; n++) {
      if (fread(&state, sizeof state, 1, stdin) != 1)
        return 1;
      memcpy(MEMORY_AT, state.memory, MEMORY);
      state.fault = 0;
      if (sigsetjmp(back, 0) == 0)
        run();
      memcpy(state.memory, MEMORY_AT, MEMORY);
      if (fwrite(&state, sizeof state, 1, stdout) != 1)
        return 1;
    }
    if (fflush(stdout) != 0)
      return 1;
  }
  return 0;
}
