#!/bin/bash
# Builds the crew and sidecar images without any image registry: a Debian root from this machine's own package mirror,
# the Node.js that runs this machine, and the agents' CLIs from npm. Where images can be pulled,
# templates/containers/Dockerfile builds an equivalent one.
#
#   scripts/build-images.sh [--with claude,codex,gemini,opencode,droid] [--force]
#
# --with    the CLIs to put in, "none" for none (default: claude); versions in templates/containers/clis.json
# --force   builds again what is already up to date
#
# Needs root, debootstrap and docker (DOCKER_HOST is honoured). MUSTER_CREW_IMAGE and MUSTER_SIDECAR_IMAGE name the
# images, MUSTER_IMAGE_CACHE the folder that keeps the Debian root between runs.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
crew_image=${MUSTER_CREW_IMAGE:-muster/crew:local}
sidecar_image=${MUSTER_SIDECAR_IMAGE:-muster/sidecar:local}
cache=${MUSTER_IMAGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/muster/images}
packages=bash,ca-certificates,curl,git,iptables,jq,less,libstdc++6,openssh-client,procps
packages+=,python3-minimal,ripgrep,unzip,util-linux,xz-utils
suite=bookworm
npm_version=11.6.2
with=claude
force=
export DOCKER_BUILDKIT=0 # a buildx plug-in would want to pull; the classic builder takes local images as they are

while [ $# -gt 0 ]; do
  case $1 in
    --with) with=${2:?--with takes a list of names}; shift ;;
    --force) force=1 ;;
    -h | --help) sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *) echo "unknown option $1 (see --help)" >&2; exit 2 ;;
  esac
  shift
done

started=$SECONDS
step() { printf '%4ds  %s\n' $((SECONDS - started)) "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
label_of() { docker image inspect -f '{{index .Config.Labels "svc.built-from"}}' "$1" 2>/dev/null || true; }
digest() { sha256sum | cut -c1-16; }

docker version >/dev/null 2>&1 || fail "no Docker engine answers at ${DOCKER_HOST:-the default socket}"
node=$(readlink -f "$(command -v node)") || fail 'node is not on the PATH'

# name package version program, one CLI a line
clis=$(node -e '
  const known = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))
  for (const name of process.argv[2] === "none" ? [] : process.argv[2].split(",")) {
    const cli = known.find((it) => it.name === name)
    if (!cli) {
      console.error(`error: no CLI named "${name}"; there are ${known.map((it) => it.name).join(", ")}`)
      process.exit(2)
    }
    console.log(cli.name, cli.package, cli.version, cli.program)
  }' "$here/templates/containers/clis.json" "$with")

# What an image is made from; an image that carries the same digest is up to date.
base_digest=$({ sed '/^# /d' "$0"; echo "$suite $packages $npm_version"; node --version; } | digest)
crew_digest=$(printf '%s\n' "$base_digest" "$clis" | digest)

if [ -z "$force" ] && [ "$(label_of "$sidecar_image")" = "$base_digest" ] &&
  [ "$(label_of "$crew_image")" = "$crew_digest" ]; then
  step "$crew_image and $sidecar_image are up to date"
  exit 0
fi

mkdir -p "$cache"
exec 8>"$cache/lock"
flock 8

build_base() {
  [ "$(id -u)" = 0 ] || fail 'debootstrap needs root: run this with sudo -E'
  command -v debootstrap >/dev/null || fail 'debootstrap is missing: apt-get install debootstrap'
  local root=$cache/root-$base_digest mirror
  mirror=$({ cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || true; } |
    awk '/^URIs:/ { uri = $2 } /^Suites:/ && $2 == suite { print uri; exit }
      /^deb / && $0 ~ " " suite " " { for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) { print $i; exit } }' suite=$suite)
  [ -n "$mirror" ] || fail "this machine's apt sources name no mirror for Debian $suite"
  if [ ! -e "$root/.complete" ]; then
    step "Debian $suite from the mirror of this machine's apt sources"
    rm -rf "$cache"/root-*
    debootstrap --variant=minbase --include="$packages" "$suite" "$root" "$mirror" |
      awk '/^I: (Retrieving|Extracting|Unpacking|Configuring) / {
          if (!seen[$2]++) printf "       %s packages\n", tolower($2); fflush() }
        /^E:/ { print }'
    rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* \
      "$root"/usr/share/{doc,man,info,locale,i18n}/* "$root"/var/log/*.log
    step "Node.js $(node --version) and npm $npm_version"
    install -m 755 "$node" "$root/usr/bin/node"
    chroot "$root" /usr/bin/node --version >/dev/null ||
      fail "this machine's node does not run on Debian $suite: use a build from nodejs.org"
    npm install -g --silent --prefix "$root/usr/local" "npm@$npm_version"
    touch "$root/.complete"
  fi
  step "$sidecar_image: $(du -sm "$root" | cut -f1) MB"
  tar -C "$root" --numeric-owner --exclude='./dev/*' --exclude='./proc/*' --exclude=./.complete -c . |
    docker import -c 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8' \
      -c "LABEL svc.built-from=$base_digest" - "$sidecar_image" >/dev/null
}

build_crew() {
  local context tag=$sidecar_image log name package version program
  context=$(mktemp -d)
  trap "rm -rf '$context'" EXIT
  while read -r name package version program; do
    [ -n "$name" ] || continue
    step "$package $version"
    mkdir -p "$context/$name/usr/local"
    npm install -g --silent --prefix "$context/$name/usr/local" "$package@$version"
    [ -e "$context/$name/usr/local/bin/$program" ] || fail "$package $version brings no program named $program"
  done <<<"$clis"
  {
    echo "FROM $tag"
    for name in $(cut -d' ' -f1 <<<"$clis"); do echo "COPY $name/ /"; done
    echo "LABEL svc.built-from=$crew_digest"
  } >"$context/Dockerfile"
  step "$crew_image"
  log=$(docker build -q -t "$crew_image" "$context" 2>&1) || fail "$crew_image could not be built: $log"
  while read -r name package version program; do
    [ -z "$name" ] || docker run --rm --network none --user 1:1 -e HOME=/tmp "$crew_image" "$program" --version |
      sed "s/^/       $program: /"
  done <<<"$clis"
}

if [ -n "$force" ] || [ "$(label_of "$sidecar_image")" != "$base_digest" ]; then build_base; fi
build_crew
step 'done'
