import type {
  CollisionService,
  ContainerStatus,
  DiskService,
  MarkService,
  MonitorService,
  RuntimeService,
  TripwireService,
} from '#runtime/service-types'
import { problem } from './problem.ts'
import type { Routines } from './routines.ts'
import type { Runs } from './runs.ts'
import type { Scripts } from './scripts.ts'
import type { Shells } from './shells.ts'

/** The status of a crew that never had a container. */
export const noContainer: ContainerStatus = {
  state: 'not_configured',
  containerId: null,
  startedAt: null,
  contract: null,
  effectiveMemoryMb: null,
  effectiveCpus: null,
  configDrift: [],
  notices: [],
  error: null,
}

const noEngine = async () => {
  throw problem('runtime_unavailable', { detail: 'This server has no container runtime' })
}

/** The runtime of a server that has none. */
export const noRuntime: RuntimeService = {
  start: noEngine,
  stop: noEngine,
  status: async () => noContainer,
  logs: noEngine,
  hasImage: async () => null,
  adapters: noEngine,
  connect: noEngine,
  startServer: noEngine,
  condition: async () => null,
}

const refuse = () => {
  throw problem('runtime_unavailable', { detail: 'This server runs no agents' })
}

/** The runs of a server that runs no agents: nothing is active, so there is nothing to end. */
export const noRuns: Runs = {
  available: false,
  full: false,
  watch: refuse,
  isWatched: () => false,
  cancel: () => undefined,
  steers: () => false,
  ended: async () => undefined,
  settled: async () => undefined,
  endLeft: async () => undefined,
  forget: () => undefined,
  listFiles: async () => refuse(),
  readFile: async () => refuse(),
  foldersOf: () => null,
  readText: async () => refuse(),
  deliver: async () => refuse(),
  command: async () => refuse(),
  withdraw: async () => false,
  saveFile: async () => refuse(),
  listHome: async () => refuse(),
  gitLog: async () => refuse(),
}

/** The shells of a server that runs no agents. */
export const noShells: Shells = {
  open: async () => refuse(),
  attach: () => refuse(),
}

/** The scripts of a server without crews: none begins. */
export const noScripts: Scripts = {
  carryOut: ({ ended }) => ended({ kind: 'never', reason: 'This server has no container runtime' }),
  isLive: () => false,
}

/** Where no agents work, none of their writes collide. */
export const noCollisions: CollisionService = {
  watch: () => ({ state: 'off', reason: 'this server runs no agents', since: null, folders: 0, gaps: [] }),
  saw: () => undefined,
}

/** Where no agents work, none of their calls are judged. */
export const noMonitor: MonitorService = { saw: () => undefined, hold: async () => null }

/** Where no agents work, none touches a decoy. */
export const noTripwires: TripwireService = { reader: () => null, heard: () => false, sent: () => undefined }

/** Where no agents work, no files are marked. */
export const noMarks: MarkService = {
  available: false,
  mark: async () => undefined,
  changes: async () => refuse(),
  diff: async () => refuse(),
  rewind: async () => undefined,
  released: async () => undefined,
  prune: () => undefined,
}

/** The disk service of a server without crews. */
export const noDisk: DiskService = {
  room: async () => null,
  begun: async () => undefined,
  reason: () => null,
  warning: () => null,
  condition: () => null,
}

/** The routines of a server without that feature. */
export const noRoutines: Routines = {
  find: () => undefined,
  start: () => refuse(),
  cancel: () => false,
}
