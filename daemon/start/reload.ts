import type { Config } from '#kernel/config'
import type { TlsFiles } from '#kernel/http/web-server'
import type { Log } from '#kernel/log'
import { settings } from '#kernel/settings'
import { readCertificate } from './certificate.ts'

type Name = keyof typeof settings

// What takes effect without a restart. A listener cannot begin or stop to serve TLS.
const levelPath = settings.logLevel.path
const certificatePaths: string[] = [settings.tlsCert.path, settings.tlsKey.path]

interface Parts {
  load(): Config
  certify(files: TlsFiles): void
}

/**
 * Reads configuration and certificates again. What cannot be used changes nothing and is named in the log, as is what
 * takes a restart.
 */
export function createReload(started: Config, log: Log, { load, certify }: Parts): () => void {
  let current = started
  return () => {
    try {
      const next = load()
      const files = readCertificate(next)
      const certificate = files !== undefined && started.tlsCert !== ''
      const isLive = (path: string) => path === levelPath || (certificate && certificatePaths.includes(path))
      const changed = changes(current, next).filter(isLive)
      const restart = changes(started, next).filter((path) => !isLive(path))
      if (certificate) certify(files)
      current = next
      log.level = next.logLevel
      log.info({ changed, certificate }, 'Configuration read again')
      if (restart.length) log.warn({ settings: restart }, 'These settings take effect after a restart')
    } catch (error) {
      log.error({ reason: (error as Error).message }, 'Configuration not read again: nothing was changed')
    }
  }
}

/** Paths of the settings whose values differ. */
function changes(before: Config, after: Config): string[] {
  const names = (Object.keys(settings) as Name[]).filter((name) => !isSame(before[name], after[name]))
  const vendors = Object.keys(after.vendor).filter((path) => before.vendor[path] !== after.vendor[path])
  return [...names.map((name) => settings[name].path), ...vendors]
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Takes SIGHUP from the first moment on, which would otherwise end the process; one that came early counts later. */
export function listenForReloads(): { attach(reload: () => void): void } {
  let waiting = false
  let reload = () => {
    waiting = true
  }
  process.on('SIGHUP', () => reload())
  return {
    attach(work) {
      reload = work
      if (waiting) work()
    },
  }
}
