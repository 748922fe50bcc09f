#!/bin/sh
# Filestead in a container, the server and its commands alike: as the user that was asked for, never as root, and with
# words instead of an error number when a volume cannot be used.
set -eu

program=${FILESTEAD_PROGRAM:-/opt/filestead/filestead}
settings=${FILESTEAD_SETTINGS:-/config/settings.json}

say() { printf 'filestead: %s\n' "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# A line of the settings, which are a flat list of names and values.
setting() {
  if [ -r "$settings" ]; then
    sed -n 's/.*"'"$1"'"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' "$settings" | head -n 1
  fi
}

is_number() {
  case $1 in
    '' | *[!0-9]*) return 1 ;;
  esac
}

owner() { stat -c '%u:%g' "$1"; }

database=${FILESTEAD_DATABASE:-${FB_DATABASE:-$(setting database)}}
database=${database:-/database/filebrowser.db}
served=${FILESTEAD_ROOT:-${FB_ROOT:-$(setting root)}}
served=${served:-/srv}
folder=$(dirname "$database")

# File Browser's image had its health check as a script of this name, and set-ups have it written down.
case ${0##*/} in
  healthcheck.sh) set -- health ;;
esac

# Root only hands over: what belongs to root in our own folder is given to the user, and an empty served folder too.
# Files that somebody put into the served folder keep their owner.
if [ "$(id -u)" = 0 ]; then
  PUID=${PUID:-1000}
  PGID=${PGID:-1000}
  is_number "$PUID" && is_number "$PGID" || die "PUID and PGID must be numbers, not '$PUID' and '$PGID'. 'id' shows yours."
  [ "$PUID" != 0 ] || die "PUID=0 would leave files that only root can change. Choose the number of a user; 'id' shows yours."
  if [ -d "$folder" ]; then
    [ "$folder" = "$served" ] || [ "$(stat -c %u "$folder")" != 0 ] || chown "$PUID:$PGID" "$folder" || true
    for file in "$database"* "$folder"/filestead*; do
      [ ! -e "$file" ] || find "$file" -user 0 -exec chown -h "$PUID:$PGID" {} + || true
    done
  fi
  if [ -d "$served" ] && [ "$(stat -c %u "$served")" = 0 ] && [ -z "$(ls -A "$served")" ]; then
    chown "$PUID:$PGID" "$served" || true
  fi
  exec setpriv --reuid="$PUID" --regid="$PGID" --clear-groups --no-new-privs -- "$0" "$@"
fi

me=$(id -u):$(id -g)
if [ -n "${PUID:-}" ] && [ "${PUID}" != "$(id -u)" ]; then
  say "PUID=$PUID is ignored: the container was started as user $me. Use either PUID and PGID or --user."
fi
[ -z "${UMASK:-}" ] || umask "$UMASK"

[ -d "$folder" ] || die "There is no folder $folder for the database. Mount a volume there, such as -v filestead:$folder"
if ! { [ -w "$folder" ] && [ -x "$folder" ]; }; then
  say "The volume at $folder cannot be written by user $me. It belongs to $(owner "$folder")."
  die "Run 'chown -R $me FOLDER' on the host, start with --user $(owner "$folder"), or mount it without ':ro'."
fi
for file in "$database" "$database-wal" "$database-shm" "$folder/filestead.db"; do
  if [ -e "$file" ] && ! { [ -r "$file" ] && [ -w "$file" ]; }; then
    die "User $me may not read and write $file. It belongs to $(owner "$file"). Run 'chown $me' on it on the host."
  fi
done
[ -d "$served" ] || die "There is no folder $served to serve. Mount your files there, such as -v /home/me/files:$served"
if ! { [ -r "$served" ] && [ -x "$served" ]; }; then
  die "User $me may not look into $served. It belongs to $(owner "$served"). Start with --user $(owner "$served"), or chown it."
fi
[ -w "$served" ] || say "User $me cannot write into $served, which belongs to $(owner "$served"): files can be read, not changed."

# Some write the name of the program as in a shell.
case ${1:-} in
  filestead | filebrowser) shift ;;
esac

# What neither the environment nor the settings tell is as it always was in this place.
unless_told() {
  eval "told=\${FILESTEAD_$2:-\${FB_$2:-}}"
  if [ -z "$told" ] && ! { [ -r "$settings" ] && grep -qi "\"$1\"[[:space:]]*:" "$settings"; }; then
    export "FILESTEAD_$2=$3"
  fi
}

export FILESTEAD_DATABASE="$database" FILESTEAD_ROOT="$served"
case ${1:-} in
  '' | -* | health | doctor)
    unless_told address ADDRESS 0.0.0.0
    unless_told port PORT 80
    [ ! -r "$settings" ] || set -- --config "$settings" "$@"
    ;;
esac
exec "$program" "$@"
