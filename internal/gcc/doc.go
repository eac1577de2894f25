// Package gcc knows what gcc 12 for x86-64 Linux predefines and what its flags mean.
//
// Input: flags as builds pass them. Output: settings, from which come the text of the
// predefined macros, the directories and files to include, and the few choices that
// change the meaning of C. The facts in facts/ were printed by gcc -dM -E, once per
// standard, flag and processor; the tests compare them with a gcc if there is one.
// A leaf: it runs no compiler and reads no file.
package gcc
