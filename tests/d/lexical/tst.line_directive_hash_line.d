/*
 * #line N without a file makes the next line N + 1.
 *
 * status: 1
 */

#line 20
BEGIN { trace(nosuchvar); }
