import { statfsSync, statSync } from 'node:fs'
import type { Room } from './rules.ts'

/** A file system and its device number. */
export interface DeviceRoom extends Room {
  device: number
}

/** The file system that holds a folder. */
export function roomAt(path: string): DeviceRoom {
  const { blocks, bfree, bavail, bsize } = statfsSync(path)
  return { total: blocks * bsize, used: (blocks - bfree) * bsize, free: bavail * bsize, device: statSync(path).dev }
}
