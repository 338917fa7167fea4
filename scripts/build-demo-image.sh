#!/bin/bash
# Makes muster/crew:demo and muster/sidecar:demo for `npm run demo`, without any network: on top of the images of
# scripts/build-images.sh where those are there, else out of this machine's own programs. Linux only, for trying
# things out.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DOCKER_BUILDKIT=0
fail() { printf '%s\n' "$*" >&2; exit 1; }
has() { docker image inspect "$1" >/dev/null 2>&1; }

# The programs that containers and the stand-in use; all must be there.
tools='bash node tar setsid timeout grep sed find xargs mkdir rm rmdir cat ls cp mv ln chmod chown touch echo
  printf test true false sleep env id whoami uname pwd date head tail wc sort cut tr tee stat readlink
  dirname basename kill ps seq expr sha256sum base64 od setpriv iptables iptables-save iptables-restore
  ip6tables ip6tables-save ip6tables-restore'

copy_program() { # follows the alternatives' links, keeping every name on the way
  local path=$1 target
  while :; do
    mkdir -p "$work/root$(dirname "$path")"
    if [ -L "$path" ]; then
      target=$(readlink "$path")
      case $target in /*) ;; *) target=$(dirname "$path")/$target ;; esac
      ln -sf "$target" "$work/root$path"
      path=$target
    else
      cp -L "$path" "$work/root$path"
      return
    fi
  done
}

copy_libraries() {
  local file=$1 library
  { ldd "$file" 2>/dev/null || true; } | grep -oE '/[^ ]+' | while read -r library; do
    [ -e "$work/root$library" ] || {
      mkdir -p "$work/root$(dirname "$library")"
      cp -L "$library" "$work/root$library"
    }
  done
}

build_base() {
  local tool path modules
  [ "$(uname -s)" = Linux ] || fail "its image is made of this machine's programs, which needs Linux"
  mkdir -p "$work/root"/{usr/bin,usr/local/bin,usr/sbin,usr/lib,usr/lib64,etc,tmp,run,proc,sys,dev,var/tmp,root} \
    "$work/root"/{crew,workspace,output,spool,secrets}
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$work/root/$name"; done
  for tool in $tools; do
    path=$(PATH="$PATH:/usr/sbin:/sbin" type -P "$tool") || fail "this machine has no program named $tool"
    if [ "$tool" = node ]; then cp -L "$(readlink -f "$path")" "$work/root/usr/bin/node"; else copy_program "$path"; fi
  done
  ln -sf bash "$work/root/usr/bin/sh"
  modules=$(find /usr/lib /usr/lib64 -type d -name xtables 2>/dev/null | head -1)
  [ -z "$modules" ] || { mkdir -p "$work/root$modules"; cp -L "$modules"/*.so "$work/root$modules/"; }
  find "$work/root" -type f \( -perm -u+x -o -name '*.so' \) >"$work/programs"
  while read -r path; do copy_libraries "$path"; done <"$work/programs"
  printf 'root:x:0:0:root:/root:/bin/sh\n' >"$work/root/etc/passwd"
  printf 'root:x:0:\n' >"$work/root/etc/group"
  chmod 1777 "$work/root/tmp" "$work/root/var/tmp"
  tar -C "$work/root" --owner=0 --group=0 --numeric-owner -c . |
    docker import -c 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8' - \
      muster/sidecar:demo >/dev/null
}

if has muster/sidecar:local && has muster/crew:local; then
  docker tag muster/sidecar:local muster/sidecar:demo
  base=muster/crew:local
else
  build_base
  base=muster/sidecar:demo
fi
mkdir "$work/context"
cp -L "$here/templates/demo/claude-stand-in/stand-in.cjs" "$work/context/claude"
printf '%s\n' "FROM $base" 'USER 0' 'RUN rm -f /usr/local/bin/claude' 'COPY claude /usr/local/bin/claude' \
  'RUN chmod 755 /usr/local/bin/claude' >"$work/context/Dockerfile"
docker build -q -t muster/crew:demo "$work/context" >/dev/null 2>"$work/log" || fail "$(tail -1 "$work/log")"
