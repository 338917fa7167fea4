import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of its own in memory, which a test fills. */
export interface SmallDisk {
  path: string
  /** Leaves no room for a single byte. */
  fill(): void
  /** Leaves no room for a single file. */
  fillWithFiles(): void
  /** Gives back what the two took. */
  free(): void
  remove(): void
}

/** Why no disk can be mounted here, for `leaveOut` and `skipIf`. */
export const mountMissing: string | false = (() => {
  try {
    smallDisk('size=1m').remove()
    return false
  } catch {
    return 'a small disk cannot be mounted: that takes root and the right to mount (CAP_SYS_ADMIN)'
  }
})()

/** `options` are those of mount(8) for a tmpfs: `size=24m`, `nr_inodes=500`. */
export function smallDisk(options: string): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'muster-small-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `mode=700,${options}`, 'tmpfs', path], { stdio: 'pipe' })
  } catch (error) {
    rmdirSync(path)
    throw error
  }
  const ballast = join(path, '.ballast')
  const files = join(path, '.files')
  return {
    path,
    fill() {
      const file = openSync(ballast, 'a')
      for (const size of [256 * 1024, 4096, 1]) untilFull(() => writeSync(file, Buffer.alloc(size)))
      closeSync(file)
    },
    fillWithFiles() {
      execFileSync('mkdir', ['-p', files])
      untilFull((n) => writeFileSync(join(files, String(n)), ''))
    },
    free() {
      rmSync(ballast, { force: true })
      rmSync(files, { recursive: true, force: true })
    },
    remove() {
      // Lazily: what was killed may not be gone yet.
      execFileSync('umount', ['-l', path])
      rmdirSync(path)
    },
  }
}

function untilFull(write: (n: number) => unknown): void {
  try {
    for (let n = 0; ; n++) write(n)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
