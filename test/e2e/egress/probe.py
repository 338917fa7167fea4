"""Tries ways out of a container, all at once. Each argument is one attempt, `kind host port`; each line printed is how it went.

What got through is `connected`, `answered`, `sent` or `opened`; everything else is the name of the error, or `silence`.
"""
import errno
import socket
import struct
import sys
import threading
import time

WAIT = 1
KEPT = []
QUERY = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x0epermitted-peer\x00\x00\x01\x00\x01"


def family(host):
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def address(host, port):
    return socket.getaddrinfo(host, int(port), family(host), socket.SOCK_STREAM)[0][4]


def heard(s):
    s.settimeout(WAIT)
    s.recv(2048)
    return "answered"


def tcp(host, port, proto=0, before=None):
    s = socket.socket(family(host), socket.SOCK_STREAM, proto)
    if before:
        before(s)
    s.settimeout(2)
    s.connect(address(host, port))
    return "connected"


def udp(host, port, message=b"hello", before=None):
    s = socket.socket(family(host), socket.SOCK_DGRAM)
    if before:
        before(s)
    s.sendto(message, address(host, port))
    try:
        return heard(s)
    except TimeoutError:
        return "sent"


def dns(host, port):
    return udp(host, port, QUERY)


def dnstcp(host, port):
    s = socket.socket(family(host), socket.SOCK_STREAM)
    s.settimeout(2)
    s.connect(address(host, port))
    s.sendall(struct.pack(">H", len(QUERY)) + QUERY)
    return heard(s)


def ping(host, port):
    six = family(host) == socket.AF_INET6
    s = socket.socket(family(host), socket.SOCK_DGRAM, socket.IPPROTO_ICMPV6 if six else socket.IPPROTO_ICMP)
    s.sendto(struct.pack(">BBHHH", 128 if six else 8, 0, 0 if six else 0xF7FE, 0, 1), address(host, 0))
    try:
        return heard(s)
    except TimeoutError:
        return "sent"


def broadcast(host, port):
    return udp(host, port, before=lambda s: s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1))


def through(device):
    return lambda s: s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device)


def opens(*wanted):
    def attempt(host, port):
        socket.socket(*wanted)
        return "opened"

    return attempt


def vsock(host, port):
    s = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
    s.settimeout(1)
    try:
        s.connect((int(host), int(port)))
    except OSError as error:
        return "opened, then " + errno.errorcode.get(error.errno, "silence")
    return "connected"


def listen(host, port):
    s = socket.socket(family(host), socket.SOCK_STREAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((host, int(port)))
    s.listen()
    KEPT.append(s)
    return "opened"


def fill(host, port):
    """Sends as much as goes into a connection whose other end reads nothing, and closes it."""
    s = socket.socket(family(host), socket.SOCK_STREAM)
    s.connect(address(host, port))
    s.setblocking(False)
    total = 0
    try:
        while True:
            total += s.send(b"x" * 65536)
    except BlockingIOError:
        s.close()
    return str(total)


def from_port(port):
    return lambda s: (s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1), s.bind(("", port)))


KINDS = {
    "tcp": tcp,
    "udp": udp,
    "dns": dns,
    "dnstcp": dnstcp,
    "ping": ping,
    "broadcast": broadcast,
    "mptcp": lambda host, port: tcp(host, port, 262),
    "udplite": lambda host, port: socket.socket(family(host), socket.SOCK_DGRAM, 136).sendto(b"x", address(host, port)) and "sent",
    "tcp-by-lo": lambda host, port: tcp(host, port, before=through(b"lo")),
    "udp-by-lo": lambda host, port: udp(host, port, before=through(b"lo")),
    "tcp-late": lambda host, port: tcp(host, port, before=lambda s: time.sleep(0.3)),
    "tcp-from-4444": lambda host, port: tcp(host, port, before=from_port(4444)),
    "udp-from-4444": lambda host, port: udp(host, port, before=from_port(4444)),
    "tcp-from-9119": lambda host, port: tcp(host, port, before=from_port(9119)),
    "raw": opens(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW),
    "raw-icmp": opens(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "raw6": opens(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6),
    "packet": opens(socket.AF_PACKET, socket.SOCK_RAW, 0x0300),
    "vsock": vsock,
    "alg": opens(38, socket.SOCK_SEQPACKET),
    "listen": listen,
    "fill": fill,
}


def attempt(kind, host="", port="0"):
    try:
        return KINDS[kind](host, port)
    except TimeoutError:
        return "silence"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))


def note(index, line):
    OUT[index] = attempt(*line.split())


OUT = [""] * len(sys.argv[1:])
threads = [threading.Thread(target=note, args=it) for it in enumerate(sys.argv[1:])]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("\n".join(OUT))
