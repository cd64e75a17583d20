/*
 * Their keys are the same in number.
 *
 * line: 8
 * message: printa( ): @a and @b do not have matching key signatures: @a has 1 key, @b has 2 keys
 */

BEGIN { @a[1] = count(); @b[1, 2] = count(); printa(@a, @b); }
