# Console logs: what `nohup … > train.log` caught.

link_of() { # LINK: sets $target
	if [ -n "$have_readlink" ]; then
		target=$(readlink "$1" 2>/dev/null)
	else
		target=$(ls -l "$1" 2>/dev/null)
		case $target in *' -> '*) target=${target#* -> } ;; *) target= ;; esac
	fi
	case $target in *' (deleted)') target= ;; esac
	[ -f "$target" ] || target=
}

find_console() { # RUN PID
	eval "path=\$r_path_$1 console=\$r_console_$1 root=\$r_root_$1 members=\$r_tree_$1"
	candidate=
	[ -z "$2" ] || is_training "$2" || set -- "$1" ""
	for pid in $2 $members; do
		for number in 1 2; do
			[ -z "$candidate" ] || break
			link_of /proc/"$pid"/fd/$number
			candidate=$target
		done
	done
	[ -n "$candidate" ] || candidate=$console
	[ -n "$candidate" ] || [ "$1" != $newest_run ] || candidate=$wanted_console
	[ -n "$candidate" ] || known_console "$path"
	if [ -z "$candidate" ] && [ "$1" = $newest_run ] && [ ! -d /proc/"${2:-none}" ]; then
		beside "$root"
	fi
	[ -n "$candidate" ] && [ "$candidate" != "$console" ] || return 0
	[ "$candidate" != "$path/$LOG" ] || return 0
	eval "r_console_$1=\$candidate number=\$r_console_file_$1"
	if [ -n "$number" ]; then
		eval "f_path_$number=\$candidate f_sig_$number="
	else
		add_file "$1" t "$CONSOLE" "$candidate"
		eval "r_console_file_$1=\$files"
	fi
}

known_console() { # PATH: sets $candidate
	key=0
	while [ $key -lt "$CONSOLES" ]; do
		key=$((key + 1))
		eval "run_path=\$c_run_$key"
		[ "$run_path" != "$1" ] || eval "candidate=\$c_path_$key"
	done
}

# A log one level above the root that was written since the run's status, for the newest run alone.
beside() { # ROOT
	for one in "${1%/*}/$LOG" "${1%/*}/nohup.out"; do
		[ -z "$candidate" ] && [ -f "$one" ] && [ -s "$one" ] && [ "$one" -nt "$path/$CONFIG" ] || continue
		[ -f "$path/$CONFIG" ] && ! [ "$path/$STATUS" -nt "$one" ] || continue
		candidate=$one
	done
}
