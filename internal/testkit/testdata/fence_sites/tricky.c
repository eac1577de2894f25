/* Places that are hard to get right. */
#include <pthread.h>

#define STORE(p) *(p) = 1
#define BOTH x = 1; y = 1
#define SWAP(a, b) do { int t = a; a = b; b = t; } while (0)
#define FOREVER for (;;)
#define LAST ; y = 2

int x, y, z; // three { variables; }

static int quick(void) { return y; }

static void nested(int n) {
	if (n)
		while (y) // wait
			x = 1; /* one */
	else if (z)
		STORE(&x);
	else
		for (int i = 0; i < 2; i++)
			if (i) y = i; else { z = i; }
	do x++; while (x < 3);
	while (z)
		;
	while (x > 9);
}

static void unbraced(int n) {
	do y = 1; while (x == 5);
	do
		y = 1;
	while (x == 6);
	for (; x != 1;) y = 1;
	while (x != 2) if (n) y = 2; else z = 1;
	while (x != 3)
		if (n) // outer
			for (int i = 0; i < 2; i++)
				y = i; // inner
	while (x != 4) if (n)
		y = 4; /* the inner one begins a line */
	if (n) here: x = 7;
	else there: if (z) y = 7; // two labels
	while (z) while (y) ;
	while (z) do STORE(&x); while (y);
	if (n) BOTH;
	if (n == 1) goto here; else if (n == 2) goto there;
	switch (n) case 4: x = 8;
	while (z) return;
}

static void labels(int n) {
	switch (n) {
	case 0:
		x = 1;
		break;
	case 1: y = 1; /* falls */ __attribute__((fallthrough));
	case 2:
	default: z = 1;
	}
	if (n > 3)
		goto out;
again: x = 2;
	if (x == n) goto again;
out:
	;
}

static void macros(void) {
	BOTH;
	if (z) STORE(&x);
	if (z)
		SWAP(x, y);
	x = 1 LAST;
	FOREVER {
		if (quick()) break;
		else continue;
	}
	if (y) { BOTH; }
	z = 3; STORE(&y); /* { not a block ; */ x = '{' + (";" != 0);
}

void *run(void *arg) {
	long n = (long)arg; int m = 0;
	{
		nested((int)n);
		{ labels(m); unbraced(m); }
	}
	macros();

	return 0;
}

int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return x; }
