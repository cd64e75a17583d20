/*
 * An event that no clause emits is a spelling mistake.
 *
 * message: probe description emit:::mede does not match any probes
 */

BEGIN
{
	emit("made");
}

emit:::mede
{
}
