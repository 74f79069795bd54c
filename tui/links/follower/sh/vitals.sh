# The live facts of the runs and of the box, as its own files and tools print them.

item() { [ -z "$2" ] || frame v "$1" "$2"; }

file_item() { # NAME PATH...: the first file that can be read
	name=$1
	shift
	for one; do
		[ -r "$one" ] || continue
		item "$name" "$(head -n 60 "$one" 2>/dev/null)"
		return
	done
}

vitals() {
	surveyed=
	if [ $((now - last_survey)) -ge 30 ] || [ -n "$new_runs" ]; then
		last_survey=$now surveyed=1 new_runs=
		survey
	fi
	k=0
	devices=
	while [ $k -lt $runs ]; do
		k=$((k + 1))
		eval "path=\$r_path_$k gone=\$r_gone_$k newest=\$r_newest_$k alive=\$r_alive_$k"
		[ -z "$gone" ] || continue
		[ -n "$surveyed" ] || [ -n "$alive" ] || [ "$newest" -gt $((now - 900)) ] || continue
		run_vitals
	done
	box_vitals
	frame V "$now"
}

# A training may have written its end after its status was read: that is told before its death.
# The next one may have begun meanwhile, and its process is the one to tell then.
living_facts() { # RUN: sets $pid and $facts; what was told already needs no second look
	for attempt in 1 2 3; do
		eval "pid=\$r_pid_$1"
		facts=
		[ -n "$pid" ] && [ "$pid" -gt 1 ] || return 0
		process_facts "$1" "$pid"
		case $facts in *" gone - -" | *" zombie "*) ;; *) return 0 ;; esac
		case $sent_facts$nl in "$facts$nl"*) return 0 ;; esac
		kept_pid=$pid kept_facts=$facts
		look all "$STATUS"
		facts=$kept_facts
		eval "pid=\$r_pid_$1"
		[ "$pid" != "$kept_pid" ] || return 0
	done
}

run_vitals() {
	eval "root=\$r_root_$k sent_facts=\$r_facts_$k"
	living_facts $k
	run_pid=$pid
	if [ -n "$facts" ]; then
		tree_facts $k "$pid"
	else
		eval "r_alive_$k="
	fi
	find_console $k "$run_pid"
	eval "console=\$r_console_$k path=\$r_path_$k"
	facts="$facts${nl}device $root${nl}console $console"
	case $devices in *"$nl$root$nl"*) ;; *) disk "$root" ;; esac
	[ "$facts" != "$sent_facts" ] || return 0
	eval "r_facts_$k=\$facts"
	frame v run "$path"
	IFS=$nl
	set -f
	for line in $facts; do
		IFS=$blanks
		item "${line%% *}" "${line#* }"
	done
	set +f
	IFS=$blanks
}

disk() { # ROOT
	devices="$devices$nl$1$nl"
	[ -n "$have_df" ] || return 0
	frame v df "$1$nl$(df -Pk "$1" 2>/dev/null)"
	frame v dfi "$1$nl$(df -Pi "$1" 2>/dev/null)"
}

box_vitals() {
	file_item loadavg /proc/loadavg
	file_item meminfo /proc/meminfo
	file_item cgroup_limit /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes
	file_item cgroup_used /sys/fs/cgroup/memory.current /sys/fs/cgroup/memory/memory.usage_in_bytes
	file_item cgroup_cpu /sys/fs/cgroup/cpu.max
	file_item oom /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control
	item cpus "$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null)"
	[ ! -d /dev/shm ] || [ -z "$have_df" ] || item shm_df "$(df -Pk /dev/shm 2>/dev/null)"
	item gpus "$gpus"
	item gpu_error "$gpu_error"
}
