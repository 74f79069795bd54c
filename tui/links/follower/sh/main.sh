# Three processes: one turns the watcher's pings into lines, one ticks every second and asks
# nvidia-smi, the last one reads those lines and does all the work and all the writing.

pings() {
	while IFS= read -r line; do
		kill -USR1 "$1" 2>/dev/null
		echo ping
	done
	echo eof
}

ticks() {
	me=$(exec sh -c 'echo $PPID')
	quiet=0
	trap 'quiet=0' USR1
	pings "$me" <&3 &
	gpu_job= gpu_wait=0 gpu_age=0 have_gpus= have_timeout=
	[ -z "$machine" ] || ! has nvidia-smi || have_gpus=1
	timeout -s KILL 1 true 2>/dev/null && have_timeout=1
	while :; do
		[ -z "$have_gpus" ] || tend_gpus
		sleep 1 3<&-
		echo tick || exit 0
		quiet=$((quiet + 1))
		[ $quiet -le "$SILENCE" ] || break
	done
	echo eof
	for second in 1 2 3 4 5; do
		sleep 1 3<&-
		echo "$second" || exit 0
	done
	kill_worker
}

# The worker may be stuck in writing to a line that is dead: it is our sibling, by its number.
kill_worker() {
	for entry in /proc/[0-9]*; do
		pid=${entry#/proc/}
		if [ "$pid" != "$me" ] && process "$pid" && [ "$parent" = $$ ]; then kill_tree "$pid"; fi
	done
}

hello() {
	user=$(id -un 2>/dev/null) || user=${USER:-}
	host=$(uname -n 2>/dev/null)
	roots=0
	for root; do
		case $root in "~" | "~/"*) root=${HOME%/}${root#"~"} ;; esac
		[ "$root" = / ] || root=${root%/}
		roots=$((roots + 1))
		eval "root_$roots=\$root"
		set -- "$@" "$root"
		shift
	done
	frame H sh "$now" "$user" "$host" "$missing" "$@"
}

work() {
	zip_start=$(printf 'PK\003\004') zip_end=$(printf 'PK\005\006') pickle=$(printf '\200')
	runs=0 files=0 gpus= gpu_error= gpu_text= settled= new_runs=1 newest_run=1 last_tick=
	followed="$nl/$nl"
	start_clock
	last_survey=$((now - 100))
	find_ours
	tools
	hello "$@"
	search
	for name in $STATUS $APPENDED $REPLACED $TAILED; do look all "$name"; done
	weights all
	[ -n "$machine" ] && has nvidia-smi || settle
	last_search=$now last_vitals=$now last_beat=$now last_cold=$now
	while IFS= read -r line; do
		clock
		case $line in
		tick) tick ;;
		ping) ;;
		eof) return ;;
		'gpu+ '*) gpu_text="$gpu_text${line#gpu+ }$nl" ;;
		'gpu! '*) gpu_error=${line#gpu! } gpus= gpu_text= && settle ;;
		gpu=) gpus=$gpu_text gpu_error= gpu_text= && settle ;;
		esac
		[ -z "$settled" ] || [ -z "$once" ] || return
	done
}

# Once everything was sent, live facts included, say so.
settle() {
	[ -z "$settled" ] || return 0
	settled=1
	[ -z "$machine" ] || vitals
	look all
	frame S "$now"
}

tick() {
	[ "$now" != "$last_tick" ] || return 0
	last_tick=$now
	if [ $((now - last_search)) -ge "$SEARCH" ]; then
		last_search=$now known_runs=$runs
		search
		[ $runs = $known_runs ] || new_runs=1
	fi
	if [ $((now - last_cold)) -ge 10 ] || [ -n "$new_runs" ]; then
		last_cold=$now
		look all
		weights all
	else
		look hot
	fi
	if [ -n "$machine" ] && [ $((now - last_vitals)) -ge "$VITALS" ]; then
		last_vitals=$now
		vitals
		weights hot
	fi
	if [ $((now - last_beat)) -ge "$BEAT" ]; then
		last_beat=$now
		frame h "$now"
	fi
}

exec 3<&0
ticks | work "$@" 3<&-
