/* The functions of ctype.h in the locale "C", with the values that those of glibc return. */
enum { upper = 0x100, lower = 0x200, alpha = 0x400, digit = 0x800, xdigit = 0x1000, space = 0x2000, print = 0x4000, graph = 0x8000, blank = 1, cntrl = 2, punct = 4, alnum = 8 };

int isupper(int c) {
  return c >= 'A' && c <= 'Z' ? upper : 0;
}

int islower(int c) {
  return c >= 'a' && c <= 'z' ? lower : 0;
}

int isalpha(int c) {
  return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' ? alpha : 0;
}

int isdigit(int c) {
  return c >= '0' && c <= '9' ? digit : 0;
}

int isxdigit(int c) {
  return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' || c >= 'a' && c <= 'f' ? xdigit : 0;
}

int isspace(int c) {
  return c == ' ' || c >= '\t' && c <= '\r' ? space : 0;
}

int isprint(int c) {
  return c >= ' ' && c <= '~' ? print : 0;
}

int isgraph(int c) {
  return c > ' ' && c <= '~' ? graph : 0;
}

int isblank(int c) {
  return c == ' ' || c == '\t' ? blank : 0;
}

int iscntrl(int c) {
  return c >= 0 && c < ' ' || c == 127 ? cntrl : 0;
}

int isalnum(int c) {
  return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' ? alnum : 0;
}

int ispunct(int c) {
  return c > ' ' && c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z' && c <= '~' ? punct : 0;
}

int isascii(int c) {
  return c >= 0 && c < 128;
}

int toascii(int c) {
  return c & 127;
}

int tolower(int c) {
  return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

int toupper(int c) {
  return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c;
}
