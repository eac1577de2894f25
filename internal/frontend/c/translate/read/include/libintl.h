#ifndef _FP_LIBINTL_H
#define _FP_LIBINTL_H
#include <features.h>
char *gettext(const char *);
char *dgettext(const char *, const char *);
char *__dgettext(const char *, const char *);
char *dcgettext(const char *, const char *, int);
char *__dcgettext(const char *, const char *, int);
char *ngettext(const char *, const char *, unsigned long int);
char *dngettext(const char *, const char *, const char *, unsigned long int);
char *dcngettext(const char *, const char *, const char *, unsigned long int, int);
char *textdomain(const char *);
char *bindtextdomain(const char *, const char *);
char *bind_textdomain_codeset(const char *, const char *);
#endif
