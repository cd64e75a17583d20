/*
 * A translation alone is a statement without effect.
 *
 * opts: -q
 */

BEGIN
{
	curpsinfo;
	xlate <psinfo_t *>(curthread);
	exit(0);
}
