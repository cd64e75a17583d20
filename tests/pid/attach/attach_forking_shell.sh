# A shell that forks, vforks and is told of the ends of its children: wherever it stands when the tracer
# comes and goes, its functions are found, and nothing stays behind in it.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

dash -c 'while :; do /bin/true; x=$(echo hi); (exit 0); kill -0 $$; done' &
target=$!
round=0
while [ $round -lt 20 ]; do
	round=$((round + 1))
	d -qn "pid\$target:::entry /n++ > $((round * 30))/ { exit(0); }" -p "$target"
	ends 0 "round $round"
	unharmed "$target" "round $round"
done
kill "$target"
wait "$target"
target=
finish
