# One line lists all providers of the system's second half, with every probe of theirs.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
d -ln 'fsinfo:::,reg:::,pf:::,tcpip:::,udpip:::,dpc:::,isr:::,pmc:::,hwconfig:::,dnet:::,diag:::'
ends 0 "the list"
listed() { # listed PROVIDER: names of its probes
	awk -v p="$1" '$2 == p { print $NF }' "$TMP/out" | sort -u | tr '\n' ' ' | sed 's/ $//'
}
all() { # all PROVIDER NAME...: exactly these
	provider=$1
	shift
	is "$provider" "$(listed "$provider")" "$(printf '%s\n' "$@" | sort -u | tr '\n' ' ' | sed 's/ $//')"
}
all fsinfo create cleanup close read write setinfo delete rename direnum flush queryinfo fscontrol done dirnotify
all reg create open delete query setvalue delvalue queryvalue enumkey enumvaluekey querymulvalue setinfo flush kcbcreate kcbdelete \
	virtualize close
all pf hardflt imgload valloc vfree trans_flt dzero_flt cow_flt gp_flt hp_flt av_flt
all tcpip send receive connect accept disconnect retransmit reconnect copy fail
all udpip send receive fail
all dpc dpc timer thread
all isr isr
all diag events ignored missed-ustack missed-stack missed-dnet-stack lostevent fpid
for name in sample-src counter-src cpu-clock task-clock page-faults context-switches; do
	case " $(listed pmc) " in *" $name "*) ;; *) fail "pmc: $name is not in $(listed pmc)" ;; esac
done
for name in cpu processor disk-phy disk-log nic network power irq pnp platform virtualization boot; do
	case " $(listed hwconfig) " in *" $name "*) ;; *) fail "hwconfig: $name is not in $(listed hwconfig)" ;; esac
done
is "functions of dnet" "$(awk '$2 == "dnet" { print $4 }' "$TMP/out" | sort -u | tr '\n' ' ')" "arm event gc interop jit loader lock security thread "
finish
