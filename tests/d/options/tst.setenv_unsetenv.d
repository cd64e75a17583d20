/*
 * setenv and unsetenv change the environment of a launched program.
 *
 * opts: -q -x setenv=FOO=bar -x unsetenv=HOME -x setenv=EMPTY=
 * target: sh -c 'echo "$FOO [$HOME] [$EMPTY]"'
 */

BEGIN
{
	x = 1;
}
