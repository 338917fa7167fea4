"""A machine on the network: answers on TCP and UDP, over IPv4 and IPv6, at every port named. Prints what reaches it."""
import socket
import sys
import threading


def tcp(s, port):
    while True:
        client, far = s.accept()
        print("tcp", port, far[0].removeprefix("::ffff:"), flush=True)
        threading.Thread(target=answer, args=(client,), daemon=True).start()


def answer(client):
    with client:
        while data := client.recv(4096):
            client.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\npeer\n" if b"HTTP/1.1" in data else data)


def udp(s, port):
    while True:
        data, far = s.recvfrom(4096)
        print("udp", port, far[0].removeprefix("::ffff:"), flush=True)
        s.sendto(data, far)


def bound(kind, port):
    s = socket.socket(socket.AF_INET6, kind)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    s.bind(("::", port))
    if kind == socket.SOCK_STREAM:
        s.listen()
    return s


ports = [int(it) for it in sys.argv[1:]]
ready = [(serve, bound(kind, port), port) for port in ports for serve, kind in ((tcp, socket.SOCK_STREAM), (udp, socket.SOCK_DGRAM))]
print("listening", flush=True)
for serve, s, port in ready:
    threading.Thread(target=serve, args=(s, port)).start()
