# A known flag that is not there yet says so in one sentence, status 1.
. tests/lib/lib.sh

for flag in '-G -s x.d' '-h -s x.d' '-A -n BEGIN' '-a -n BEGIN' '-C -s x.d'; do
	# shellcheck disable=SC2086
	d -qn 'BEGIN { exit(0); }' $flag
	case $status in
	1) is "$flag: one sentence" "$(wc -l <"$TMP/err")" 1 ;;
	0) ;;
	*) fail "$flag: status $status: $err" ;;
	esac
done
finish
