#!/usr/bin/env bash
# Installs or upgrades Filestead in a Debian or Ubuntu container (LXC) or virtual machine, as root:
#   bash filestead.sh [FOLDER] [PORT]
# An installation of File Browser at /usr/local/community-scripts/filebrowser.db is taken over.
set -euo pipefail

folder=${1:-/}
port=${2:-8080}
prefix=${FILESTEAD_PREFIX:-} # For tests: where "/" is.
releases=${FILESTEAD_RELEASES:-@RELEASES@/v@VERSION@}
data=$prefix/usr/local/community-scripts
unit=$prefix/etc/systemd/system/filebrowser.service

case $(uname -m) in
  x86_64) archive=filestead-@VERSION@-linux-x64.tar.gz sum=@SUM_X64@ ;;
  aarch64) archive=filestead-@VERSION@-linux-arm64-unproven.tar.gz sum=@SUM_ARM64@ ;;
  *) echo "There is no release for $(uname -m)" >&2; exit 1 ;;
esac
# The usual processor type of a virtual machine in Proxmox has no AVX2.
if [ "$(uname -m)" = x86_64 ] && ! grep -qw avx2 "$prefix/proc/cpuinfo"; then
  archive=filestead-@VERSION@-linux-x64-baseline-unproven.tar.gz sum=@SUM_BASELINE@
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
curl -fsSL "$releases/$archive" -o "$work/$archive"
echo "$sum  $work/$archive" | sha256sum --check --quiet
tar -xzf "$work/$archive" -C "$work"
if [ -z "$prefix" ] && [ -d /run/systemd/system ] && systemctl is-active --quiet filebrowser; then systemctl stop filebrowser; fi
rm -rf "$prefix/opt/filestead"
mkdir -p "$prefix/opt" "$prefix/usr/local/bin" "$data" "${unit%/*}"
mv "$work/${archive%.tar.gz}" "$prefix/opt/filestead"
for name in filestead filebrowser; do ln -sfn "$prefix/opt/filestead/filestead" "$prefix/usr/local/bin/$name"; done

cat >"$unit" <<EOF
[Unit]
Description=Filestead, a web file manager
After=network-online.target

[Service]
ExecStart=$prefix/opt/filestead/filestead --root $folder --database $data/filebrowser.db --address 0.0.0.0 --port $port
Restart=on-failure

[Install]
WantedBy=multi-user.target
EOF
if [ -z "$prefix" ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl enable --now filebrowser
  echo "Filestead serves $folder on port $port. The administrator's password: journalctl -u filebrowser"
else
  echo "Filestead is installed. Start it with: $(sed -n 's/^ExecStart=//p' "$unit")"
fi
