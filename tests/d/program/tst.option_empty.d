/*
 * With the option empty an empty program is allowed.
 *
 * status: 1
 * opts: -x empty
 */

/* nothing */
