# The sidecar image, for machines that can pull: docker build -t muster/sidecar:local -f sidecar.Dockerfile templates/containers
# The daemon adds the sidecar's program on top by itself.
ARG BASE=node:20-bookworm-slim
FROM ${BASE}
USER root
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates iptables util-linux \
 && rm -rf /var/lib/apt/lists/*
ENV LANG=C.UTF-8
