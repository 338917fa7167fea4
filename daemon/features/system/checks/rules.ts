import type { Static } from 'typebox'
import type { Check } from '#contract/system'
import type { StorageFailure } from '#kernel/store/storage'
import type { Belonging, DiskCondition, RuntimeCondition } from '#runtime/service-types'

export type Finding = Static<typeof Check>

export const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail, fix: null })
const warn = (name: string, detail: string, fix: string): Finding => ({ name, status: 'warn', detail, fix })
const fail = (name: string, detail: string, fix: string): Finding => ({ name, status: 'fail', detail, fix })

const GB = 1024 ** 3
/** Names of a list that are told; the rest is counted. */
const told = 3

export function judgeRuntime({ kind, engine }: RuntimeCondition): Finding {
  if (kind === 'process') {
    if (!engine.ok)
      return fail('runtime', engine.detail, 'install what is missing, or use Docker: SVC_CONTAINER_PROVIDER=docker')
    return warn(
      'runtime',
      engine.detail,
      'fine for trying things out; for real work install Docker and set SVC_CONTAINER_PROVIDER=docker',
    )
  }
  if (engine.ok) return ok('runtime', engine.detail)
  return fail(
    'runtime',
    engine.detail,
    'start Docker (systemctl start docker), or name another engine in DOCKER_HOST and restart the daemon',
  )
}

export function judgeImages({ kind, engine, images }: RuntimeCondition): Finding[] {
  if (kind !== 'docker' || !engine.ok) return []
  const missing = images.filter(({ here }) => here === false).map(({ name }) => name)
  if (!missing.length) return [ok('images', listed(images.map(({ name }) => name)))]
  const local = missing.some((name) => name.endsWith(':local') || name.endsWith(':demo'))
  const fix = local ? 'scripts/build-images.sh, in the folder of Muster' : `docker pull ${missing[0]}`
  return [
    fail('images', `Missing: ${listed(missing)}`, `${fix}; or name others in SVC_RUNTIME_IMAGE and SVC_SIDECAR_IMAGE`),
  ]
}

/** Containers and networks of nobody are removed by the daemon itself; volumes hold data and are not. */
export function judgeOrphans({ engine, orphans, kind }: RuntimeCondition): Finding[] {
  if (!engine.ok) return []
  const own = orphans.filter((it) => it.own)
  const volumes = own.filter((it) => it.kind === 'volume').map(({ name }) => name)
  const others = own.filter((it) => it.kind !== 'volume').map(({ name }) => name)
  const foreign = orphans.filter((it) => !it.own)
  const findings: Finding[] = []
  if (others.length)
    findings.push(
      warn(
        'orphans',
        `Belongs to no crew: ${listed(others)}`,
        'wait a minute, they are being removed; muster journal tail --type container.reaped',
      ),
    )
  if (volumes.length)
    findings.push(
      warn(
        'orphans',
        `Data of crews that are unknown here: ${listed(volumes)}`,
        `${kind === 'docker' ? 'docker volume rm' : 'rm -r'} ${volumes.slice(0, told).join(' ')}, if nobody needs it`,
      ),
    )
  if (!findings.length) findings.push(ok('orphans', 'Everything belongs to a crew'))
  if (foreign.length) findings.push(ok('others', `${counted(foreign)} of other installations on the same engine`))
  return findings
}

export function judgeCrews(crews: readonly { slug: string; error: string | null }[]): Finding[] {
  const troubled = crews.filter(({ error }) => error !== null)
  if (!troubled.length) return []
  const [{ slug, error }] = troubled as [{ slug: string; error: string | null }]
  return [warn('crews', `${listed(troubled.map((it) => it.slug))}: ${error}`, `muster crews status ${slug}`)]
}

export function judgeDisk(place: string, free: number, total: number): Finding {
  const detail = `${size(free)} of ${size(total)} free below ${place}`
  const fix = `free space below ${place}, or move the data to another disk (SVC_DATA_DIR)`
  if (free < GB / 2) return fail('disk', detail, fix)
  return free < 5 * GB || free < total / 20 ? warn('disk', detail, fix) : ok('disk', detail)
}

/** What writes say of the disk, whatever room there seems to be. */
export function judgeStorage(place: string, failure: StorageFailure | null): Finding[] {
  if (!failure) return []
  const fix =
    failure.fault === 'full'
      ? `free space or files below ${place}`
      : `see the log, and mount ${place} for writing again`
  return [fail('disk', `${failure.reason} (${failure.code})`, `${fix}; nothing needs to be restarted`)]
}

/** What crews have stored, and whether they leave the daemon the room that it needs. */
export function judgeCrewData({ limit, reserve, machine, crews }: DiskCondition): Finding[] {
  const findings: Finding[] = []
  const [fullest] = crews
  if (limit === 0) findings.push(warn('crew data', 'Crews may store as much as they like', 'set SVC_CREW_DISK_MB'))
  else if (!fullest || fullest.level === 'ok')
    findings.push(ok('crew data', `Watched: no crew is near the ${size(limit)} that it may store`))
  else {
    const others = crews.filter(({ level }) => level !== 'ok').length > 1 ? ', and others' : ''
    const detail = `${fullest.slug}: ${fullest.used}${others}`
    findings.push(
      (fullest.level === 'full' ? fail : warn)(
        'crew data',
        detail,
        `${fullest.tidy}, then delete what nobody needs; or raise SVC_CREW_DISK_MB`,
      ),
    )
  }
  const kept = `${size(machine.free)} are free and ${size(reserve)} are kept for the daemon`
  if (reserve === 0)
    findings.push(warn('disk reserve', 'Crews may fill the disk of the daemon', 'set SVC_DISK_RESERVE_MB'))
  else if (machine.level === 'full')
    findings.push(
      fail(
        'disk reserve',
        `${kept}: crews are stopped, and runs wait`,
        'free space on this disk; work goes on by itself',
      ),
    )
  else findings.push(ok('disk reserve', kept))
  return findings
}

/** `paths`: what only this user may read, with its permission bits and owner; null when it is not there. */
export function judgePermissions(paths: readonly { path: string; mode: number; uid: number }[], uid: number): Finding {
  const foreign = paths.find((it) => it.uid !== uid)
  if (foreign)
    return fail('permissions', `${foreign.path} belongs to another user`, `chown -R $(id -u) ${foreign.path}`)
  const open = paths.filter(({ mode }) => mode & 0o077)
  const [first] = open
  if (!first) return ok('permissions', 'Only this user can read what is stored')
  return fail(
    'permissions',
    `Other users can read ${listed(open.map(({ path }) => path))}`,
    `chmod go= ${open.map(({ path }) => path).join(' ')}`,
  )
}

/** `opens`: whether the key opens what is stored; null when nothing is. */
export function judgeKey(there: boolean, opens: boolean | null): Finding {
  if (!there)
    return fail(
      'key',
      'There is no encryption key: credentials can be neither stored nor used',
      'set ENCRYPTION_KEY, or bring back encryption.key in the data folder, and restart',
    )
  if (opens === false)
    return fail(
      'key',
      'The encryption key does not open the stored credentials',
      'bring back the key that they were stored with, or replace them: muster credentials rotate NAME',
    )
  return ok(
    'key',
    opens
      ? 'The encryption key opens the stored credentials'
      : 'There is an encryption key; no credential is stored yet',
  )
}

export function judgeNetwork({
  url,
  loopback,
  limited,
}: {
  url: string
  loopback: boolean
  limited: boolean
}): Finding {
  if (!limited) return warn('network', 'Rate limits are off', 'unset SVC_RATELIMIT_DISABLED and restart the daemon')
  return ok('network', loopback ? `Listens on ${url}, for this machine alone` : `Listens on ${url}`)
}

const listed = (names: readonly string[]): string =>
  names.slice(0, told).join(', ') + (names.length > told ? ` and ${names.length - told} more` : '')

function counted(its: readonly Belonging[]): string {
  const kinds = ['container', 'network', 'volume'] as const
  const counts = kinds.map((kind) => [its.filter((it) => it.kind === kind).length, kind] as const)
  return counts.flatMap(([count, kind]) => (count ? [`${count} ${kind}${count === 1 ? '' : 's'}`] : [])).join(', ')
}

export const size = (bytes: number): string =>
  bytes < GB ? `${Math.round(bytes / 1024 ** 2)} MB` : `${(bytes / GB).toFixed(1)} GB`

/** Mail may be missing, since nothing depends on it; what is set up should work. */
export function judgeMail({
  way,
  failure,
  publicUrl,
}: {
  way: string | null
  failure: string | null
  publicUrl: string
}): Finding {
  if (way === null) return ok('mail', 'Not set up: forgotten passwords are replaced with muster admin reset-password')
  if (failure !== null)
    return warn('mail', `The last mail did not leave: ${failure}`, 'look at MAILER_* or SMTP_URL, and at docs/mail.md')
  if (!publicUrl)
    return warn(
      'mail',
      `Goes through ${way}, but forgotten passwords are not mailed`,
      'set SVC_PUBLIC_URL, with which links begin',
    )
  return ok('mail', `Goes through ${way}`)
}

const dayMs = 86_400_000
/** A backup that is older is one that nobody makes any more. */
const oldMs = 7 * dayMs

/** `lastAt` and `now` in milliseconds since 1970; `hours` between two backups of the schedule, 0 without one. */
export function judgeBackup({
  lastAt,
  hours,
  sameDisk,
  now,
}: {
  lastAt: number | null
  hours: number
  sameDisk: boolean
  now: number
}): Finding {
  const fix = 'muster backup create, or a schedule: docs/backup.md'
  if (lastAt === null) return warn('backup', 'There is no backup of this server', fix)
  const age = `The last one is ${Math.floor((now - lastAt) / 3_600_000)} h old`
  if (now - lastAt > (hours ? 2 * hours * 3_600_000 : oldMs))
    return warn('backup', age, hours ? 'muster journal list --type backup.failed says why there is no newer one' : fix)
  return ok('backup', sameDisk ? `${age}, and on the disk of the data` : age)
}
