/*
 * An option that says how the text is read holds from its line on: int::: is a description then.
 *
 * opts: -q -x zdefs
 */

int x;
BEGIN { x = 1; }
#pragma D option pspec
int:::
{
	x = 2;
}

BEGIN { trace(x); exit(0); }
