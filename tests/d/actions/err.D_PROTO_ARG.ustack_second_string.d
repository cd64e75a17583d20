/*
 * The numbers of ustack are integers, the second one, too.
 *
 * line: 7
 */

BEGIN { ustack(1, "a"); }
