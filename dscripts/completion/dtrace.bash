# Completion of dtrace for bash; zsh reads it after `autoload bashcompinit; bashcompinit`.
#
#	. dtrace.bash
#
# Completes options, names and values of -x, providers, probes (those of processes of the program that -c or -p names), processes:
# the command itself knows them (dtrace --complete).

# The targets that are on the line already, as options.
_dtrace_targets() {
	local i
	for ((i = 1; i < ${#COMP_WORDS[@]} - 1; i++)); do
		case ${COMP_WORDS[i]} in
		-c | -p) printf '%s\n%s\n' "${COMP_WORDS[i]}" "$(eval "printf %s ${COMP_WORDS[i + 1]}" 2>/dev/null)" ;;
		esac
	done
}

# COMPREPLY becomes the lines of standard input. (mapfile is bash's alone.)
_dtrace_reply() {
	local line
	while IFS= read -r line; do
		COMPREPLY+=("$line")
	done
}

# Probes that begin with a description: the fields of its last part are listed.
_dtrace_probes() {
	local word=$1 line
	local -a targets=()
	while IFS= read -r line; do
		targets+=("$line")
	done < <(_dtrace_targets)
	case $word in
	pid*:* | fpid*:*)
		[ ${#targets[@]} -gt 0 ] || return
		local prov=${word%%:*} rest=${word#*:}
		case $rest in
		*:*:*) printf "$prov:${rest%:*}:%s\n" entry return ;;
		*:*) "${COMP_WORDS[0]}" -ln "$prov:${rest%:*}:${rest##*:}*:entry" "${targets[@]}" 2>/dev/null |
			awk -v p="$prov:${rest%:*}:" 'NR > 1 { print p $4 ":" }' | sort -u ;;
		*) "${COMP_WORDS[0]}" -ln "$prov:$rest*::entry" "${targets[@]}" 2>/dev/null |
			awk -v p="$prov:" 'NR > 1 { print p $3 ":" }' | sort -u ;;
		esac
		;;
	*) "${COMP_WORDS[0]}" --complete probe "$word" 2>/dev/null ;;
	esac
}

# Bash cuts words at : and = where they are not quoted: its pieces become words again, and of each answer what stands there
# already is taken off.
_dtrace() {
	local there= i
	while [ "$COMP_CWORD" -gt 1 ] && case ${COMP_WORDS[COMP_CWORD]}:${COMP_WORDS[COMP_CWORD - 1]} in
	[:=]*:?* | *:[:=] | *:::) true ;; *) false ;; esac && [ -z "${ZSH_VERSION-}" ]; do
		COMP_WORDS[COMP_CWORD - 1]+=${COMP_WORDS[COMP_CWORD]}
		unset "COMP_WORDS[COMP_CWORD]"
		COMP_CWORD=$((COMP_CWORD - 1))
		there=${COMP_WORDS[COMP_CWORD]%"${COMP_WORDS[COMP_CWORD]##*[:=]}"}
	done
	_dtrace_word
	for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
		COMPREPLY[i]=${COMPREPLY[i]#"$there"}
	done
}

_dtrace_word() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	case $prev in
	-x)
		_dtrace_reply < <("${COMP_WORDS[0]}" --complete option "$cur" 2>/dev/null)
		return
		;;
	-n | -P | -m | -f)
		_dtrace_reply < <(_dtrace_probes "${cur#[\'\"]}" | grep -F -- "${cur#[\'\"]}")
		return
		;;
	-s | -o | -L | -I)
		_dtrace_reply < <(compgen -f -- "$cur")
		return
		;;
	--tool)
		_dtrace_reply < <("${COMP_WORDS[0]}" --complete tool "$cur" 2>/dev/null)
		return
		;;
	-c)
		_dtrace_reply < <(compgen -c -- "$cur")
		return
		;;
	-p)
		_dtrace_reply < <(compgen -W "$(ps -eo pid= 2>/dev/null)" -- "$cur")
		_dtrace_reply < <("${COMP_WORDS[0]}" --complete process "$cur" 2>/dev/null)
		return
		;;
	-b | -D | -U | -i | -X | -y | -E) return ;;
	esac
	case $cur in
	-*)
		_dtrace_reply < <(compgen -W "-b -c -C -D -e -f -F -G -h -H -i -I -l -L -m -n -o -p -P -q -s -S -U -v -V -w -x -X -y -Z
			--help --version --list-providers --doctor --examples --explain --emit --tool --tools" -- "$cur")
		;;
	esac
}
complete -F _dtrace dtrace
