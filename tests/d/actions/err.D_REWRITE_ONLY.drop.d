/*
 * drop() is for a recording that is written anew.
 *
 * line: 9
 * message: drop( ) is for a recording that is written anew: -E IN.data -o OUT.data
 */
BEGIN
{
	drop();
}
