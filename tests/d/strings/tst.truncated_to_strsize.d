/*
 * A longer source is cut to strsize characters.
 *
 * opts: -q -x strsize=5
 */

BEGIN { x = "abcdefgh"; printf("%s %d %d %d\n", x, strlen("abcdefg"), sizeof(string), x == "abcd"); exit(0); }
