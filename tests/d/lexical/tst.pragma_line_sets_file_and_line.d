/*
 * #pragma D line N "file" is #line; #pragma D ident is ignored.
 *
 * status: 1
 */

#pragma D ident "@(#)nothing of ours"
#pragma D line 20 "q.d"
BEGIN { trace(nosuchvar); }
