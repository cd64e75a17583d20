/*
 * A variable takes the type of its first assignment in the text.
 *
 * opts: -q
 */

BEGIN { x = 1; x = 5000000000; c = (char)1; c = 300; s = "a"; printf("%d %d %d %d\n", x, c, sizeof(x), sizeof(c)); exit(0); }
