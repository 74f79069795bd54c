# Finding runs below the roots.

walk() { # DIRECTORY LEVELS ROOT
	for marker in $MARKERS; do
		if [ -e "$1/$marker" ] || [ -L "$1/$marker" ]; then
			found_run "$1" "$3"
			break
		fi
	done
	[ "$2" -gt 0 ] || return 0
	for entry in "$1"/* "$1"/.[!.]* "$1"/..?*; do
		[ -d "$entry" ] && [ ! -L "$entry" ] || continue
		case " $PRUNED " in *" ${entry##*/} "*) continue ;; esac
		walk "$entry" $(($2 - 1)) "$3"
	done
}

found_run() { # PATH ROOT
	[ -z "$only" ] || [ "$1" = "$only" ] || [ "$1" = "$2/$only" ] || return 0
	case $seen in *"$nl/$nl$1$nl/$nl"*) return 0 ;; esac
	seen="$seen$1$nl/$nl"
	case $followed in *"$nl/$nl$1$nl/$nl"*) return 0 ;; esac
	[ $((runs + new)) -lt "$MAX_RUNS" ] || return 0
	newest_marker "$1"
	new=$((new + 1))
	eval "n_path_$new=\$1 n_root_$new=\$2 n_marker_$new=\$marker_path"
}

# Paths stand between lines that hold nothing but a slash, which no path can.
search() {
	new=0
	seen="$nl/$nl"
	r=0
	while [ $r -lt $roots ]; do
		r=$((r + 1))
		eval "root=\$root_$r"
		walk "$root" "$DEPTH" "$root"
	done
	miss_runs
	announce
}

miss_runs() {
	k=0
	while [ $k -lt $runs ]; do
		k=$((k + 1))
		eval "misses=\$r_misses_$k path=\$r_path_$k gone=\$r_gone_$k"
		[ -z "$gone" ] || continue
		misses=$((misses + 1))
		case $seen in *"$nl/$nl$path$nl/$nl"*) misses=0 ;; esac
		eval "r_misses_$k=$misses"
		if [ $misses -ge 3 ]; then
			eval "r_gone_$k=1"
			followed=${followed%%"$nl/$nl$path$nl/$nl"*}$nl/$nl${followed#*"$nl/$nl$path$nl/$nl"}
			frame r "$path"
		fi
	done
}

# Announce new runs, the one whose marker changed last first.
announce() {
	left=$new
	while [ $left -gt 0 ]; do
		best=0
		n=0
		while [ $n -lt $new ]; do
			n=$((n + 1))
			eval "path=\$n_path_$n marker_path=\$n_marker_$n"
			[ -n "$path" ] || continue
			if [ $best = 0 ] || [ "$marker_path" -nt "$best_marker" ]; then
				best=$n best_marker=$marker_path
			fi
		done
		eval "add_run \"\$n_path_$best\" \"\$n_root_$best\"; n_path_$best="
		left=$((left - 1))
	done
}

newest_marker() { # PATH: sets $marker_path
	marker_path=$1
	for marker in $MARKERS; do
		[ -e "$1/$marker" ] || continue
		if [ "$marker_path" = "$1" ] || [ "$1/$marker" -nt "$marker_path" ]; then
			marker_path=$1/$marker
		fi
	done
}

add_run() { # PATH ROOT
	runs=$((runs + 1))
	id=${1#"$2"/}
	[ "$1" != "$2" ] || id=${1##*/}
	eval "r_path_$runs=\$1 r_root_$runs=\$2 r_misses_$runs=0 r_gone_$runs="
	followed="$followed$1$nl/$nl"
	[ -n "$settled" ] && newest_run=$runs
	eval "r_newest_$runs=0 r_alive_$runs=1 r_pid_$runs= r_console_$runs= r_weights_$runs=-"
	eval "r_facts_$runs= r_known_$runs= r_tree_$runs="
	key=0
	while [ $key -lt "$TOKENS" ]; do
		key=$((key + 1))
		eval "token_path=\$t_path_$key"
		[ "$token_path" != "$1" ] || eval "r_known_$runs=1"
	done
	frame R "$1" "$id" "$2"
	add_file $runs r "$STATUS" "$1/$STATUS"
	for name in $APPENDED; do add_file $runs a "$name" "$1/$name"; done
	for name in $REPLACED; do add_file $runs r "$name" "$1/$name"; done
	for name in $TAILED; do add_file $runs t "$name" "$1/$name"; done
	[ -n "$machine" ] || add_file $runs t "$CONSOLE" "$1/$CONSOLE"
}
