#!/bin/sh
# Blocks all traffic but the sidecar's in the crew's network namespace, verifies this, then runs the sidecar.
# Runs as root with NET_ADMIN, NET_RAW, SETUID and SETGID, before the crew's container joins. Any failure ends the container.
set -eu

uid=1002 # the sidecar
gid=1003 # a group that nobody in the crew's container has: uid and gid together may leave
port=9119
nobody=65534
program=${1:-/opt/muster/sidecar.cjs}
anyone=0-4294967294 # all uids: `! --uid-owner` of it matches packets of the kernel itself

die() {
  echo "sidecar: $*; refusing to start" >&2
  exit 78
}

# Packets of the kernel itself (answers for closed sockets, neighbour discovery) have no owner, hence the last OUTPUT
# rules. Only the sidecar may open or accept a connection from port 9119, even while the sidecar is down.
rules4() {
  cat <<EOR
-A INPUT -i lo -j ACCEPT
-A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT
-A INPUT -p icmp -m conntrack --ctstate RELATED -j ACCEPT
-A OUTPUT -p tcp --sport $port --tcp-flags SYN SYN -m owner ! --gid-owner $gid -j DROP
-A OUTPUT -d 127.0.0.11/32 -m owner --uid-owner $uid --gid-owner $gid -j ACCEPT
-A OUTPUT -d 127.0.0.11/32 -j REJECT
-A OUTPUT -o lo -m addrtype --dst-type LOCAL -j ACCEPT
-A OUTPUT -p tcp -m conntrack --ctstate ESTABLISHED -m owner ! --uid-owner $anyone -j ACCEPT
-A OUTPUT -p udp --dport 53 -m owner --uid-owner $uid --gid-owner $gid -j ACCEPT
-A OUTPUT -d 169.254.0.0/16 -j REJECT
-A OUTPUT -d 224.0.0.0/3 -j REJECT
-A OUTPUT -m owner --uid-owner $uid --gid-owner $gid -j ACCEPT
-A OUTPUT -j REJECT --reject-with icmp-admin-prohibited
EOR
}

rules6() {
  cat <<EOR
-A INPUT -i lo -j ACCEPT
-A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT
-A INPUT -p icmpv6 -m conntrack --ctstate RELATED -j ACCEPT
-A INPUT -p icmpv6 --icmpv6-type 135 -m hl --hl-eq 255 -j ACCEPT
-A INPUT -p icmpv6 --icmpv6-type 136 -m hl --hl-eq 255 -j ACCEPT
-A OUTPUT -p tcp --sport $port --tcp-flags SYN SYN -m owner ! --gid-owner $gid -j DROP
-A OUTPUT -o lo -m addrtype --dst-type LOCAL -j ACCEPT
-A OUTPUT -p icmpv6 --icmpv6-type 135 -m owner ! --uid-owner $anyone -j ACCEPT
-A OUTPUT -p icmpv6 --icmpv6-type 136 -m owner ! --uid-owner $anyone -j ACCEPT
-A OUTPUT -p tcp -m conntrack --ctstate ESTABLISHED -m owner ! --uid-owner $anyone -j ACCEPT
-A OUTPUT -d fe80::/10 -j REJECT
-A OUTPUT -d ff00::/8 -j REJECT
-A OUTPUT -d fd00:ec2::/32 -j REJECT
-A OUTPUT -m owner --uid-owner $uid --gid-owner $gid -j ACCEPT
-A OUTPUT -j REJECT --reject-with icmp6-adm-prohibited
EOR
}

# Prints the first command of a family that works with this kernel: engines differ in nft and legacy.
working() {
  for it in "$1" "$1-nft" "$1-legacy"; do
    "$it" -w -S OUTPUT >/dev/null 2>&1 && "$it-restore" --version >/dev/null 2>&1 && echo "$it" && return
  done
}

# Installs a family's rules atomically, then verifies that each of them is present and that there are no others.
install() {
  command=$1 rules=$2
  {
    printf '*filter\n:INPUT DROP\n:FORWARD DROP\n:OUTPUT DROP\n'
    "$rules"
    printf 'COMMIT\n'
  } | "$command-restore" -w || die "$command-restore did not take the rules"
  "$rules" | while read -r _ rule; do
    # shellcheck disable=SC2086 # a rule is a list of words
    "$command" -w -C $rule || die "$command lost the rule: $rule"
  done
  listed=$("$command" -w -S)
  for chain in INPUT FORWARD OUTPUT; do
    echo "$listed" | grep -qx -- "-P $chain DROP" || die "$command does not drop by default in $chain"
  done
  [ "$(echo "$listed" | grep -c '^-A')" = "$("$rules" | grep -c '^-A')" ] || die "$command holds rules that are not ours"
}

# True when no interface of this namespace can have an IPv6 address.
without_ipv6() {
  [ -e /proc/net/if_inet6 ] || return 0
  for it in /proc/sys/net/ipv6/conf/*/disable_ipv6; do [ "$(cat "$it")" = 1 ] || return 1; done
}

exec 3<&0 </dev/null # standard input is the private channel: only the sidecar itself may read from it
ulimit -c 0
[ "$(id -u)" = 0 ] || die 'it must begin as root, to set the rules'
[ -r "$program" ] || die "$program is missing"

iptables=$(working iptables) || true
[ -n "$iptables" ] || die 'iptables does not work here (is NET_ADMIN granted, and iptables in the image?)'
install "$iptables" rules4

ip6tables=$(working ip6tables) || true
if [ -n "$ip6tables" ]; then
  install "$ip6tables" rules6
elif ! without_ipv6; then
  die 'IPv6 is on in this network and ip6tables does not work here'
fi

as() {
  id=$1 group=$2
  shift 2
  exec setpriv --reuid "$id" --regid "$group" --clear-groups --inh-caps=-all --no-new-privs -- "$@"
}

# Verifies that the kernel refuses packets of another user.
proof=0
(as $nobody $nobody node "$program" --prove-closed) || proof=$?
[ $proof = 0 ] || die 'the rules are there, yet packets of others can leave'

# Restarts the program after a crash, so that the crew keeps its network; it then waits for its configuration.
as $uid $gid sh -c '
  trap "kill -TERM \$program; exit 0" TERM INT
  while :; do
    node --disable-proto=delete "$0" <&3 3<&- &
    program=$!
    code=0
    wait $program || code=$?
    case $code in 0 | 78) exit $code ;; esac
    sleep 1
  done' "$program"
