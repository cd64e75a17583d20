/*
 * The numbers of ustack are integers.
 *
 * line: 7
 */

BEGIN { ustack("x"); }
