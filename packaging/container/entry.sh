#!/bin/sh
# Filestead in a container, the server and its commands alike: finds settings and database where File Browser's images
# had them, runs as the user that was asked for, and explains a volume that cannot be used.
set -eu

image=${FILESTEAD_IMAGE:-} # Prefix of every path, for tests.
volume=$image/database

say() { printf 'filestead: %s\n' "$*" >&2; }
die() {
  say "$@"
  exit 1
}
owner() { stat -c '%u:%g' "$1"; }

# File Browser's image had its health check as a script of this name, and compose files have it written down. Some also
# write the name of the program as in a shell.
case ${0##*/} in healthcheck.sh) set -- health ;; esac
case ${1:-} in filestead | filebrowser) shift ;; esac
is_server=false
case ${1:-} in
  version | hash | completion | help | -h | --help | --version) exec "$image/opt/filestead/filestead" "$@" ;;
  '' | -*) is_server=true ;;
esac

if [ "$is_server" = true ] && [ "$(uname -m)" = x86_64 ] && ! grep -qw avx2 "$image/proc/cpuinfo"; then
  say "This processor has no AVX2: the server may end with 'Illegal instruction'. Give a virtual machine the processor type 'host', or build the image with --build-arg TARGET=linux-x64-baseline"
fi

# The value of a flag: flag LONG SHORT ARGUMENTS…
flag() {
  long=$1 short=$2 value=
  shift 2
  while [ $# -gt 0 ]; do
    case $1 in
      "--$long="* | "-$short="*) value=${1#*=} ;;
      "--$long" | "-$short") value=${2:-} ;;
    esac
    shift
  done
  printf '%s' "$value"
}

settings=$(flag config c "$@")
for file in config/settings.json .filebrowser.json .filebrowser.yaml .filebrowser.yml .filebrowser.toml; do
  if [ -z "$settings" ] && [ -f "$image/$file" ]; then settings=$image/$file; fi
done

# The lines of the settings, JSON, YAML or TOML, that name an option. They are a flat list of names and values.
lines() { [ ! -r "$settings" ] || tr ',{}' '\n\n\n' <"$settings" | grep -i "^[[:space:]]*[\"']\{0,1\}$1[\"']\{0,1\}[[:space:]]*[:=]" || true; }
setting() { lines "$1" | sed -n "1s/^[^:=]*[:=][[:space:]]*[\"']\{0,1\}\([^\"']*\).*/\1/p"; }

is_mounted() { grep -qF " $1 " /proc/self/mountinfo; }
# Volumes without a name have a random one of 64 digits, and are lost with the container.
is_kept() { grep -F " $1 " /proc/self/mountinfo | grep -qvE '/volumes/[0-9a-f]{64}/_data '; }

database=$(flag database d "$@")
is_flag=${database:+true}
database=${database:-${FILESTEAD_DATABASE:-${FB_DATABASE:-$(setting database)}}}
if [ -z "$database" ]; then
  database=$volume/filestead.db
  for file in "$image/database.db" "$volume/filebrowser.db"; do [ ! -s "$file" ] || database=$file; done
fi
is_file=true
case $database in
  postgres://* | postgresql://*)
    # The volume holds what a server with a PostgreSQL keeps for itself: thumbnails, and files that have no place yet.
    is_file=false
    export XDG_STATE_HOME="${XDG_STATE_HOME:-$volume}"
    ;;
  /*) ;;
  *) database=$image/$database ;;
esac
# Docker makes a folder where the file that it shall mount is missing.
[ ! -d "$database" ] || database=$database/filestead.db
# Our database needs a folder: SQLite keeps two more files beside it. One that is mounted by itself is read there once.
folder=$(dirname "$database")
if [ "$is_file" = false ]; then
  folder=$volume
elif { is_mounted "$database" || [ "$folder" = "${image:-/}" ]; } && [ "$(head -c 15 "$database" 2>/dev/null)" != 'SQLite format 3' ]; then
  if [ ! -s "$database" ]; then
    [ ! -e "$database" ] || [ "$is_server" = false ] || say "$database is a single, empty file, and is not used."
    database=$volume/filestead.db
  elif [ "$folder" != "$volume" ]; then
    ln -sfn "$database" "$volume/filebrowser.db" || die "There is no place for the database. Mount a folder at $volume"
    database=$volume/filebrowser.db
  fi
  [ -z "$is_flag" ] || set -- "$@" --database "$database"
  folder=$volume
fi
if [ "$is_server$is_file" = truetrue ] && ! is_kept "$folder" && [ -z "$image" ]; then
  say "Warning: $folder is not mounted: the database is lost when the container is removed. Mount a folder there, such as -v ./database:$folder"
fi
served=$(flag root r "$@")
served=${served:-${FILESTEAD_ROOT:-${FB_ROOT:-$(setting root)}}}
served=${served:-$image/srv}

# Root only hands over: what belongs to root in the folder of the database is given to the user, and an empty served
# folder too. Files that are in the served folder keep their owner.
if [ "$(id -u)" = 0 ] && [ "${PUID:-1000}" != 0 ]; then
  user=${PUID:-1000}:${PGID:-1000}
  for number in "${PUID:-1000}" "${PGID:-1000}"; do
    case $number in *[!0-9]* | 0?* | ???????????*) die "PUID and PGID must be numbers, not '$user'. 'id' shows yours." ;; esac
  done
  become="setpriv --reuid=${user%:*} --regid=${user#*:} --clear-groups --no-new-privs --"
  # Compared: with a number that means "no change", this script would start itself as root for ever.
  [ "$($become id -u 2>/dev/null)" = "${user%:*}" ] || die "This container may not change users. Start it with --user $user instead of PUID, or without cap_drop"
  if [ -d "$folder" ] && [ "$folder" != "$served" ]; then
    [ "$(stat -c %u "$folder")" != 0 ] || chown "$user" "$folder" || true
    for file in "$(readlink -f "$database")" "$database"-* "$folder"/filestead*; do
      [ ! -e "$file" ] || find "$file" -user 0 -exec chown -h "$user" {} + || true
    done
  fi
  if [ -d "$served" ] && [ "$(stat -c %u "$served")" = 0 ] && [ -z "$(ls -A "$served")" ]; then
    chown "$user" "$served" || true
  fi
  exec $become "$0" "$@"
fi

me=$(id -u):$(id -g)
if [ "${me%:*}" = 0 ]; then
  # Without root's rights outside, as with rootless Podman, root is the account that started the container.
  if [ "$is_server" = true ] && grep -q '^ *0 *0 ' /proc/self/uid_map; then
    say 'Warning: PUID=0: the server runs as root, and what it makes belongs to root.'
  fi
elif [ "${PUID:-${me%:*}}" != "${me%:*}" ]; then
  say "PUID=$PUID is ignored: the container was started as user $me. Use either PUID and PGID or --user."
fi
[ -z "${UMASK:-}" ] || umask "$UMASK" 2>/dev/null || die "UMASK must be a number such as 022, not '$UMASK'."

# What to do about a folder of another owner. To start as root would be no remedy.
remedy() { case $(owner "$1") in 0:*) ;; *) printf ', or start with --user %s' "$(owner "$1")" ;; esac; }
[ -d "$folder" ] || die "There is no folder $folder for the database. Mount one there, such as -v ./database:$folder"
if ! { [ -w "$folder" ] && [ -x "$folder" ]; }; then
  die "User $me may not write into $folder, which belongs to $(owner "$folder"). Run 'chown -R $me' on it on the host$(remedy "$folder"), and mount it without ':ro'."
fi
for file in "$database" "$database-wal" "$database-shm" "$folder/filestead.db"; do
  if [ -e "$file" ] && ! { [ -r "$file" ] && [ -w "$file" ]; }; then
    die "User $me may not read and write $file, which belongs to $(owner "$file"). Run 'chown $me' on it on the host."
  fi
done
[ -d "$served" ] || die "There is no folder $served to serve. Mount your files there, such as -v ./files:$served"
if ! { [ -r "$served" ] && [ -x "$served" ]; }; then
  die "User $me may not read $served, which belongs to $(owner "$served"). Run 'chown $me' on it on the host$(remedy "$served")."
fi

# An option that nobody has set is as in File Browser's image.
unless_set() {
  eval "value=\${FILESTEAD_$2:-\${FB_$2:-}}"
  if [ -z "$value$(lines "$1")" ]; then export "FILESTEAD_$2=$3"; fi
}
export FILESTEAD_DATABASE="$database" FILESTEAD_ROOT="$served"
case $is_server${1:-} in
  true* | falsehealth | falsedoctor)
    if [ -z "${FILESTEAD_SOCKET:-}${FB_SOCKET:-}$(setting socket)$(flag socket socket "$@")" ]; then
      unless_set address ADDRESS 0.0.0.0
      unless_set port PORT 80
      if [ "${FILESTEAD_PORT:-}" = 80 ] && [ "${me%:*}" != 0 ] && [ "$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start)" -gt 80 ]; then
        say 'Port 80 is closed to users other than root here, as Podman has it. If the start fails, add --sysctl net.ipv4.ip_unprivileged_port_start=80'
      fi
    fi
    [ -z "$settings" ] || set -- "$@" --config "$settings"
    ;;
esac
unset FILESTEAD_IMAGE
exec "$image/opt/filestead/filestead" "$@"
