import type Docker from 'dockerode'
import { relayFolder } from '../bridge/relay-sockets.ts'
import type { CrewSpec } from '../types.ts'
import {
  crewName,
  enderName,
  ids,
  type Kind,
  labels,
  type Naming,
  networkName,
  secretsName,
  sidecarName,
  volumeName,
  volumes,
} from './names.ts'
import { crewProfile, sidecarProfile } from './seccomp.ts'
import { secretsMounts, secretsVolume } from './secrets.ts'

const MB = 1024 * 1024

/**
 * Threads count as processes. An agent's client has 15 to 35 of them, and its build tools as many again per CPU: 200
 * would fail with four agents. This suffices for eight busy ones and still stops a fork bomb.
 */
const crewPids = 1024
const sidecarPids = 128
const sidecarMemoryMb = 256

export function labelsOf(
  naming: Naming,
  spec: Pick<CrewSpec, 'crewId' | 'slug' | 'workspaceId'>,
  kind: Kind,
  contract: string,
): Record<string, string> {
  return {
    [labels.managed]: 'true',
    [labels.kind]: kind,
    [labels.crew]: spec.crewId,
    [labels.slug]: spec.slug,
    [labels.workspace]: spec.workspaceId,
    [labels.contract]: contract,
    [labels.installation]: naming.installation,
  }
}

/**
 * Restrictions of every container. There is no nproc limit, which the kernel counts by uid over all containers of the
 * machine; the pids limit is per crew.
 */
export const hardened = (memoryMb: number, cpus: number, pids: number, systemCalls: string) => ({
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges', `seccomp=${systemCalls}`],
  Privileged: false,
  Init: true,
  PidsLimit: pids,
  Memory: memoryMb * MB,
  MemorySwap: memoryMb * MB,
  NanoCpus: Math.round(cpus * 1e9),
  IpcMode: 'private',
  Ulimits: [
    { Name: 'nofile', Soft: 8192, Hard: 65536 },
    { Name: 'core', Soft: 0, Hard: 0 },
    { Name: 'fsize', Soft: 4096 * MB, Hard: 4096 * MB },
  ],
})

const tmpfs = (size: number) => `rw,nosuid,nodev,noexec,size=${size},mode=1777`

/** The sidecar's alone: the engine gives /run itself the mode that it has in the image. */
const relaySockets = `rw,nosuid,nodev,noexec,size=${MB},mode=0700,uid=${ids.watcher},gid=${ids.nobody}`

/** The container that owns the crew's network. It starts with the capabilities to block traffic and drops them. */
export function sidecarContainer(
  naming: Naming,
  spec: CrewSpec,
  image: string,
  contract: string,
): Docker.ContainerCreateOptions {
  return {
    name: sidecarName(naming, spec.slug, spec.crewId),
    Image: image,
    User: '0:0',
    Entrypoint: ['/opt/muster/sidecar-entry'],
    Cmd: [],
    Env: ['TZ=UTC', 'LANG=C.UTF-8'],
    WorkingDir: '/',
    Hostname: spec.slug.slice(0, 63),
    ...attached,
    Labels: labelsOf(naming, spec, 'sidecar', contract),
    HostConfig: {
      ...hardened(sidecarMemoryMb, 1, sidecarPids, sidecarProfile),
      Init: false, // an init process would keep the capabilities that the program drops
      ExtraHosts: ['host.docker.internal:host-gateway'], // for the operator's upstreams on this machine
      CapAdd: ['NET_ADMIN', 'NET_RAW', 'SETUID', 'SETGID'],
      NetworkMode: networkName(naming, spec.crewId),
      Tmpfs: { '/tmp': tmpfs(16 * MB), '/run': tmpfs(MB), [relayFolder]: relaySockets },
      // Standard output is the private channel, which is small; `logs` shows standard error.
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '2' } },
      RestartPolicy: { Name: 'no' },
    },
  }
}

/** The container in which the agents work. Its main process is the channel; each run is an exec as its agent. */
export function crewContainer(
  naming: Naming,
  spec: CrewSpec,
  image: string,
  contract: string,
  sidecarId: string,
): Docker.ContainerCreateOptions {
  const shared = Math.max(MB, Math.floor((spec.memoryMb * MB) / 8))
  return {
    name: crewName(naming, spec.slug, spec.crewId),
    Image: image,
    User: `${ids.watcher}:${ids.watcher}`,
    Entrypoint: ['node', '/opt/muster/channel.cjs'],
    Cmd: [],
    Env: ['TZ=UTC', 'LANG=C.UTF-8'],
    WorkingDir: '/',
    ...attached,
    Labels: { ...labelsOf(naming, spec, 'crew', contract), [labels.image]: spec.image },
    HostConfig: {
      ...hardened(spec.memoryMb, spec.cpus, crewPids, crewProfile),
      NetworkMode: `container:${sidecarId}`,
      ShmSize: shared,
      Tmpfs: { '/tmp': tmpfs(shared), '/run': tmpfs(MB), ...secretsMounts(spec.agents) },
      Mounts: [
        ...Object.entries(volumes).map(([volume, target]) => ({
          Type: 'volume' as const,
          Source: volumeName(naming, spec.crewId, volume),
          Target: target,
        })),
        secretsVolume(secretsName(naming, spec.crewId), labelsOf(naming, spec, 'volume', contract)),
      ],
      // The channel's output is binary, as large as all output of the agents, and not a log.
      LogConfig: { Type: 'none', Config: {} },
      RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 },
      StopTimeout: 30,
    } as Docker.HostConfig,
  }
}

/**
 * A volume of a crew in a container beside the crew's own. The engine would recreate one that is removed meanwhile; the
 * labels then still name the crew.
 */
export const volumeMount = (
  naming: Naming,
  spec: Pick<CrewSpec, 'crewId' | 'slug' | 'workspaceId'>,
  { Source, Target, ReadOnly }: { Source: string; Target: string; ReadOnly: boolean },
) => ({
  Type: 'volume' as const,
  Source,
  Target,
  ReadOnly,
  VolumeOptions: {
    NoCopy: true,
    Labels: labelsOf(naming, spec, 'volume', ''),
    DriverConfig: { Name: '', Options: {} },
  },
})

/** The container whose programs end agents' processes: in the crew's process namespace, but outside its limits. */
export function enderContainer(
  naming: Naming,
  crew: Docker.ContainerInfo,
  image: string,
): Docker.ContainerCreateOptions {
  const { [labels.crew]: crewId = '', [labels.slug]: slug = '', [labels.workspace]: workspace = '' } = crew.Labels
  return {
    name: enderName(naming, slug, crewId),
    Image: image,
    User: '0:0',
    Entrypoint: ['sleep', 'infinity'],
    Cmd: [],
    WorkingDir: '/',
    Labels: {
      [labels.managed]: 'true',
      [labels.kind]: 'ender',
      [labels.crew]: crewId,
      [labels.workspace]: workspace,
      [labels.installation]: naming.installation,
    },
    HostConfig: {
      ...hardened(128, 1, 64, crewProfile),
      Ulimits: [],
      Init: false,
      CapAdd: ['SETUID'],
      NetworkMode: 'none',
      PidMode: `container:${crew.Id}`,
      LogConfig: { Type: 'none', Config: {} },
      AutoRemove: true,
    },
  }
}

/** Keeps standard input open after a daemon detaches, for the next one. */
const attached = {
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
  OpenStdin: true,
  StdinOnce: false,
  Tty: false,
}
