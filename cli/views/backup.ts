import type { BackupListed, backup as endpoints } from '#contract/backup'
import type { BackupReply } from '#contract/backup-host'
import type { Reply } from '#contract/define'
import { sized } from '../backup/sized.ts'
import { age, size, status, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Manifest = Reply<(typeof endpoints)['inspect']>

export const backupView: View<BackupListed> = {
  name: ({ file_name }) => file_name,
  empty: 'There are no backups. Next: muster backup create',
  columns: {
    FILE: ({ file_name }) => file_name,
    LEVEL: ({ scope_level }) => scope_level,
    SIZE: ({ size_bytes }) => size(size_bytes),
    ENCRYPTED: ({ encrypted, flaw }) => (flaw ? null : encrypted),
    AGE: ({ created_at }) => age(created_at),
    STATUS: ({ flaw }) => status(flaw === undefined ? 'ok' : 'unusable'),
  },
  wide: { PATH: ({ path }) => path, WHY: ({ flaw }) => flaw },
}

export const madeView: View<Reply<(typeof endpoints)['create']>> = {
  name: ({ file_name }) => file_name,
  columns: {
    Path: ({ path }) => path,
    Level: ({ scope_level }) => scope_level,
    Size: ({ size_bytes }) => size(size_bytes),
    Files: ({ members }) => members,
    Encrypted: ({ encrypted }) => encrypted,
    'Encryption key': ({ key_included }) => (key_included ? 'inside' : 'not inside'),
    Checksum: ({ payload_sha256 }) => payload_sha256,
  },
}

export const backupStatusView: View<Reply<(typeof endpoints)['status']>> = {
  name: ({ folder }) => folder,
  columns: {
    Running: ({ held, phase, done_bytes }) => (held ? `${phase}, ${sized(done_bytes)} written` : 'no'),
    Since: ({ acquired_at }) => when(acquired_at),
    Last: ({ last }) => last?.file_name,
    'Last at': ({ last }) => when(last?.created_at),
    Folder: ({ folder, same_disk }) => `${folder}${same_disk ? ' (on the disk of the data)' : ''}`,
  },
}

const crewsOf = ({ contents: { crews } }: Manifest) => crews.map(({ slug }) => slug).join(', ')

export const manifestView: View<Manifest> = {
  name: ({ created_at }) => created_at,
  columns: {
    Made: ({ created_at }) => when(created_at),
    Level: ({ scope_level }) => scope_level,
    Version: ({ svc_version_at_backup }) => svc_version_at_backup,
    Encryption: ({ encryption: { enabled, recipients } }) =>
      enabled ? (recipients ? `for ${recipients.join(', ')}` : 'with a passphrase') : 'none',
    'Encryption key': ({ key_included }) => (key_included ? 'inside' : 'not inside'),
    Runtime: ({ runtime }) => runtime,
    Workspaces: ({ contents }) => contents.workspaces.map(({ slug }) => slug).join(', '),
    Crews: crewsOf,
    Data: ({ contents }) => size(contents.data_bytes),
    Journal: ({ journal: { seq } }) => `${seq} entries`,
    Checksum: ({ checksums }) => checksums.payload_sha256,
  },
}

export const restoredView: View<BackupReply<'restore'>> = {
  name: ({ path }) => path,
  columns: {
    Folder: ({ path }) => path,
    Made: ({ created_at }) => when(created_at),
    Files: ({ members }) => members,
    Size: ({ bytes }) => size(bytes),
    'Encryption key': ({ key }) => key,
    Volumes: ({ volumes }) => volumes,
  },
}

export const checkView: View<BackupReply<'drill'>['checks'][number]> = {
  name: ({ name }) => name,
  columns: {
    CHECK: ({ name }) => name,
    STATUS: ({ ok }) => status(ok ? 'ok' : 'failed'),
    DETAIL: ({ detail }) => detail,
  },
}

export const rotatedView: View<Reply<(typeof endpoints)['rotate']>> = {
  name: ({ deleted }) => String(deleted.length),
  columns: { Deleted: ({ deleted }) => deleted.join(', ') },
}
