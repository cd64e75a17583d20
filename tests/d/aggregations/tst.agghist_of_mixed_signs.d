/*
 * With agghist a sum is drawn as a bar; mixed signs share an axis.
 *
 * opts: -q -x agghist
 */

BEGIN
{
	@["loss"] = sum(-5);
	@["gain"] = sum(10);
	@["even"] = sum(0);
	@n[1] = count();
	@n[2] = count();
	@n[2] = count();
	exit(0);
}
