/*
 * A long double is recorded and copied whole.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:wide:entry
{
	self->a = args[0];
	this->b = args[0];
	printf("%Lf %.3f %Lf\n", self->a, this->b, `wide_float);
	exit(0);
}
