import { join } from 'node:path'
import type { App } from '#kernel/app'
import { installationId } from '#kernel/store/installation'
import { DockerRuntime } from './docker/runtime.ts'
import { ProcessRuntime } from './process/runtime.ts'
import { relayedUpstreams } from './relayed.ts'
import type { Runtime } from './types.ts'

/** The runtime that the configuration names. An engine that does not answer now may answer later. */
export function openRuntime(app: App): Runtime {
  const { containerProvider, containerPrefix, runtimeImage, sidecarImage, containerDns, dataDir } = app.config
  if (containerProvider === 'process') {
    app.log.warn(
      'Agents run as local processes of this user: nothing isolates them from this machine or from each other',
    )
    return new ProcessRuntime({ folder: join(dataDir, 'crews') })
  }
  return new DockerRuntime({
    prefix: containerPrefix,
    installation: installationId(app.db),
    crewImage: runtimeImage,
    sidecarImage,
    dns: containerDns,
    relayed: relayedUpstreams(app.config),
    relayFailed: (crew, err) =>
      app.log.warn({ err, crew }, "A crew's model calls cannot be relayed to this machine's loopback yet"),
  })
}
