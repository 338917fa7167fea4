import { Buffer } from 'node:buffer'
import type { App } from '#kernel/app'
import { decoysGone, decoysOf } from '../../features/tripwires/service.ts'
import type { AgentSpec, Runtime } from '../types.ts'

const seconds = 20

/**
 * Carried out as the agent: takes files away that are as Muster wrote them, and writes those that are not there. What
 * somebody else wrote stays as it is.
 */
const program = `
const fs = require('node:fs'), { dirname, join } = require('node:path'), { createHash } = require('node:crypto')
const { root, gone, kept } = JSON.parse(fs.readFileSync(0, 'utf8'))
for (const { path, hash } of gone) try {
  const at = join(root, path), { size } = fs.lstatSync(at)
  if (size < 65536 && createHash('sha256').update(fs.readFileSync(at)).digest('hex') === hash) fs.unlinkSync(at)
} catch {}
for (const { path, content } of kept) try {
  const at = join(root, path)
  fs.mkdirSync(dirname(at), { recursive: true, mode: 0o700 })
  fs.writeFileSync(at, content, { flag: 'wx', mode: 0o600 })
} catch (error) { if (error.code !== 'EEXIST') process.exitCode = 1 }
`

/** Brings the decoy files of an agent's home to what they should be, before a run of it begins. */
export async function placeDecoys(app: App, runtime: Runtime, crewId: string, agent: AgentSpec): Promise<void> {
  const kept = decoysOf(app, crewId).flatMap(({ file }) => file ?? [])
  const gone = decoysGone(app, crewId)
  if (kept.length === 0 && gone.length === 0) return
  const { home: root } = runtime.places(crewId, agent)
  const stdin = Buffer.from(JSON.stringify({ root, gone, kept }))
  try {
    const { code, stderr } = await runtime.command(crewId, agent, { argv: ['node', '-e', program], stdin, seconds })
    if (code !== 0) app.log.warn({ crew: crewId, stderr: stderr.slice(0, 300) }, 'Decoy files could not be placed')
  } catch (error) {
    app.log.warn({ err: error, crew: crewId }, 'Decoy files could not be placed')
  }
}
