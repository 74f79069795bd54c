# Reading files and what they are, with whatever tools there are.

# Write SIZE bytes of a file from an OFFSET on. tail alone may read everything before it.
bytes() { # PATH OFFSET SIZE
	if [ -n "$have_dd" ]; then
		dd if="$1" bs=4096 skip=$(($2 / 4096)) count=$(($3 / 4096 + 2)) 2>/dev/null |
			tail -c +$(($2 % 4096 + 1)) | head -c "$3"
	else
		tail -c +$(($2 + 1)) "$1" 2>/dev/null | head -c "$3"
	fi
}

digest() { # PATH OFFSET SIZE: sets $digest, empty where no tool can
	digest=
	if [ -n "$have_sha256sum" ]; then
		digest=$(bytes "$1" "$2" "$3" | sha256sum)
		digest=${digest%% *}
	fi
}

# Sets size, mtime, inode, device, mode, owner of one line of stat's, or asks ls.
take_stat() { # LINE
	device=${1%% *} rest=${1#* }
	inode=${rest%% *} rest=${rest#* }
	size=${rest%% *} rest=${rest#* }
	mtime=${rest%% *} rest=${rest#* }
	[ "$mtime" != - ] || guess_mtime
	mode=$((0${rest%% *})) owner=${rest#* }
	stat="$size $mtime $inode $device $mode $owner"
}

# Where no tool tells change times, a file changed when its size or inode was seen to change.
guess_mtime() {
	mtime=$now
	case $sig in "$size "*" $inode $device "*) mtime=${sig#* } mtime=${mtime%% *} ;; esac
}

# One line for each file: DEVICE INODE SIZE MTIME MODE OWNER, as stat -c would print it.
stats() { # PATH...
	if [ -n "$have_stat" ]; then
		stat -Lc '%d %i %s %Y %a %U' "$@" 2>/dev/null
		return
	fi
	IFS=$blanks
	for one; do
		# shellcheck disable=SC2086
		line=$(ls -Llnid $ls_times "$one" 2>/dev/null)
		set -f
		# shellcheck disable=SC2086
		set -- $line
		set +f
		changed=$7
		[ -n "$ls_times" ] || changed=$(date -r "$one" +%s 2>/dev/null) || changed=-
		permissions "$2"
		echo "0 $1 $6 $changed $octal $4"
	done
}

permissions() { # -rwxr-x---: sets $octal
	octal=
	letters=${1#?}
	while [ ${#letters} -ge 3 ]; do
		rest=${letters#???} three=${letters%"${letters#???}"} digit=0
		case $three in r??) digit=$((digit + 4)) ;; esac
		case $three in ?w?) digit=$((digit + 2)) ;; esac
		case $three in ??[xst]) digit=$((digit + 1)) ;; esac
		octal=$octal$digit letters=$rest
	done
}
