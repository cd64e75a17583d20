/*
 * What is read through a translator counts for amin.
 *
 * opts: -x nolibs
 * line: 12
 * message: attributes for translated member t (Stable/Private/Common) are less than predefined minimum
 */

struct o { kthread_t *t; int a; };
translator struct o < int p > { t = curthread; a = p; };
#pragma D option amin=Stable/Stable/Common
dtrace:::BEGIN { trace(xlate <struct o>(1).t); }
