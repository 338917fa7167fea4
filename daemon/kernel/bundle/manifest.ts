import type { Static } from 'typebox'
import { Check } from 'typebox/value'
import { BundleManifest } from '#contract/backup'
import { BundleRefused } from './refusal.ts'

/** The version of the format that this version writes, and the newest that it reads. */
export const formatVersion = 1

export type Manifest = Static<typeof BundleManifest>

/** What is known before the payload is written. It is also the payload's first member, where nobody can alter it. */
export type ManifestCore = Omit<Manifest, 'checksums'>

/** Reads a manifest; one of a newer format is refused as such whatever else it holds. */
export function parseManifest(text: string): Manifest {
  const parsed = jsonOf(text)
  const version = (parsed as { format_version?: unknown } | null)?.format_version
  if (typeof version === 'number' && version > formatVersion)
    throw new BundleRefused(
      'bundle_newer',
      `The bundle was made by a newer version (format ${version}; this one reads up to ${formatVersion}). ` +
        'Use that version',
    )
  if (!Check(BundleManifest, parsed)) throw new BundleRefused('bundle_altered', 'The manifest of the bundle is damaged')
  return parsed
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export const coreOf = ({ checksums: _, ...core }: Manifest): ManifestCore => core
