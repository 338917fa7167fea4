import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ShellEnd } from '#contract/entries/shells'
import type { App } from '#kernel/app'
import { credentialOf } from '#kernel/auth/authenticator'
import type { Actor } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { Problem, problem } from '#kernel/problem'
import type { ShellHandle, ShellSize, Shells, Viewer } from '#kernel/shells'
import { type AgentRow, agentById } from '../features/agents/service.ts'
import { desiredCrew } from '../features/crews/containers/service.ts'
import { placeOf } from '../features/crews/places/service.ts'
import { type Asked, checkShell, leftShells, shellAgent, shellClosed, shellOpened } from '../features/shells/service.ts'
import { RuntimeError } from './errors.ts'
import { OutputBuffer } from './output-buffer.ts'
import type { Runtime, ShellProgram } from './types.ts'

/** Most open shells of a user, of a crew and in all. */
const most = { user: 4, crew: 8, all: 32 }
const bufferBytes = 256 * 1024
const lostMs = 60_000
const longestMs = 12 * 60 * 60_000
const checkMs = 5000

export interface ShellService extends Shells {
  /** Ends what a daemon before this one left. */
  recover(): Promise<void>
  close(): Promise<void>
}

interface Live {
  id: string
  actor: Actor
  agent: AgentRow
  tokenHash: Buffer
  program: ShellProgram
  buffer: OutputBuffer
  viewer: Viewer | null
  lost: NodeJS.Timeout | undefined
  openedAt: number
  ending: Promise<void> | null
}

const digest = (token: string) => hash('sha256', token, 'buffer')

/** Opens and keeps the terminals of people in crews. docs/shell.md. */
export function createShells(app: App, runtime: Runtime): ShellService {
  const live = new Map<string, Live>()
  /** Shells that are being opened, by user and crew: they count already. */
  const opening = new Set<{ user: string; crew: string }>()

  function checkRoom(user: string, crew: string): void {
    const all = [...opening, ...[...live.values()].map((it) => ({ user: it.actor.id, crew: it.agent.crew_id! }))]
    const full =
      all.length >= most.all ||
      all.filter((it) => it.user === user).length >= most.user ||
      all.filter((it) => it.crew === crew).length >= most.crew
    if (full)
      throw problem('rate_limited', {
        detail: `You may have ${most.user} shells open, a crew ${most.crew} and this server ${most.all}; close one`,
      })
  }

  async function open(actor: Actor, asked: Asked, size: ShellSize): Promise<ShellHandle> {
    const agent = shellAgent(app, actor.id, asked)
    checkShell(app, actor, agent)
    const place = placeOf(app, agent.id)!
    checkRoom(actor.id, place.crewId)
    const ticket = { user: actor.id, crew: place.crewId }
    opening.add(ticket)
    const id = `shell-${newId(app.clock())}`
    const row = {
      id,
      workspace_id: agent.workspace_id,
      crew_id: place.crewId,
      agent_id: agent.id,
      user_id: actor.id,
      opened_at: app.clock(),
    }
    try {
      // Recorded first: the ends of the agent's runs spare what is recorded, and a daemon that dies leaves a trace.
      await app.write(() => shellOpened(app, row, agent.slug))
      const program = await runtime.openShell(place.crewId, place.agent, id, size).catch(async (error: unknown) => {
        await app.write(() => shellClosed(app, id, 'container'))
        throw inWords(error)
      })
      return begin({ id, actor, agent, program, openedAt: row.opened_at })
    } finally {
      opening.delete(ticket)
    }
  }

  function begin(opened: Pick<Live, 'id' | 'actor' | 'agent' | 'program' | 'openedAt'>): ShellHandle {
    const { program } = opened
    const token = randomBytes(32).toString('base64url')
    const it: Live = {
      ...opened,
      tokenHash: digest(token),
      buffer: new OutputBuffer(bufferBytes),
      viewer: null,
      lost: undefined,
      ending: null,
    }
    live.set(it.id, it)
    program.stream.on('data', (chunk: Buffer) => {
      it.buffer.add(chunk)
      if (it.viewer && !it.viewer.output(chunk)) program.stream.pause()
    })
    program.stream.on('close', () => void gone(it))
    return { ...handle(it), token }
  }

  /** The program ended: by itself, or with its container. */
  async function gone(it: Live): Promise<void> {
    if (it.ending) return
    // A stop ends the processes first: then the container still runs, though not for long.
    const wanted = desiredCrew(app, it.agent.crew_id!)?.want
    const { state } = await app.runtime.status(it.agent.crew_id!).catch(() => ({ state: 'unknown' }))
    const stops = wanted === 'stopped' || wanted === 'removed' || state !== 'running'
    await end(it, stops ? 'container' : 'left')
  }

  function end(it: Live, reason: ShellEnd): Promise<void> {
    it.ending ??= finish(it, reason)
    return it.ending
  }

  async function finish(it: Live, reason: ShellEnd): Promise<void> {
    clearTimeout(it.lost)
    live.delete(it.id)
    it.program.close()
    it.viewer?.ended(reason)
    it.viewer = null
    await app.write(() => shellClosed(app, it.id, reason))
    const place = placeOf(app, it.agent.id)
    if (place)
      await runtime.endLeft(place.crewId, place.agent).catch((error: Error) => {
        app.log.warn({ err: error, agent: it.agent.id }, 'What a shell left running could not be ended yet')
      })
  }

  const handle = (it: Live) => ({
    id: it.id,
    agent: it.agent.slug,
    watch(viewer: Viewer, offset: number) {
      it.viewer?.replaced()
      clearTimeout(it.lost)
      it.viewer = viewer
      it.program.stream.resume()
      return it.buffer.since(offset)
    },
    unwatch(viewer: Viewer) {
      if (it.viewer !== viewer) return
      it.viewer = null
      // Nobody watches, so the buffer alone bounds what is kept.
      it.program.stream.resume()
      it.lost = setTimeout(() => void end(it, 'disconnected'), lostMs).unref()
    },
    write: (bytes: Buffer) => it.program.stream.write(bytes),
    onDrain: (work: () => void) => void it.program.stream.once('drain', work),
    proceed: () => void it.program.stream.resume(),
    resize: (size: ShellSize) => it.program.resize(size),
    end: () => end(it, 'left'),
  })

  function attach(actor: Actor, id: string, token: string): ShellHandle {
    const it = live.get(id)
    const same = it && it.actor.id === actor.id && credentialOf(it.actor) === credentialOf(actor)
    if (!it || !same || !timingSafeEqual(it.tokenHash, digest(token)))
      throw problem('not_found', { detail: 'There is no such shell' })
    checkShell(app, actor, it.agent)
    return { ...handle(it), token }
  }

  /** Ends shells whose time is up, and those of people who may not have them any more. */
  function check(): void {
    for (const it of live.values()) {
      const credential = credentialOf(it.actor)
      if (app.clock() - it.openedAt >= longestMs) void end(it, 'too_long')
      else if (credential !== null && !app.auth.holds(credential)) void end(it, 'signed_out')
      else if (!mayStay(it)) void end(it, 'refused')
    }
  }

  function mayStay({ actor, agent }: Live): boolean {
    const now = agentById(app, agent.id)
    if (!now || now.crew_id !== agent.crew_id) return false
    try {
      checkShell(app, actor, now)
      return true
    } catch (error) {
      if (error instanceof Problem) return false
      throw error
    }
  }

  const onRevoked = (credential: string) => {
    for (const it of live.values()) if (credentialOf(it.actor) === credential) void end(it, 'signed_out')
  }
  app.bus.on('revoked', onRevoked)
  app.bus.on('access_lost', check)
  const clock = setInterval(check, checkMs).unref()

  return {
    open,
    attach,
    async recover() {
      for (const { id, agent_id } of leftShells(app)) {
        await app.write(() => shellClosed(app, id, 'daemon'))
        const place = placeOf(app, agent_id)
        // Not awaited: an engine that is slow or down must not delay the daemon's start.
        if (place) void runtime.endLeft(place.crewId, place.agent).catch(() => {})
      }
    },
    async close() {
      clearInterval(clock)
      app.bus.off('revoked', onRevoked)
      app.bus.off('access_lost', check)
      await Promise.all([...live.values()].map((it) => end(it, 'daemon')))
    },
  }
}

function inWords(error: unknown): unknown {
  if (!(error instanceof RuntimeError)) return error
  if (error.kind === 'not_running') return problem('crew_not_running', { detail: 'Start the crew first' })
  if (error.kind === 'unreachable') return problem('runtime_unavailable', { detail: error.message })
  return problem('runtime_failed', { detail: error.message })
}
