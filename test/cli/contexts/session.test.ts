import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ContextFile } from '../../../cli/contexts/file.ts'
import { resolveSession, type SessionFlags } from '../../../cli/contexts/session.ts'

const file: ContextFile = {
  current: 'work',
  contexts: {
    work: { server: 'https://work.example', workspace: 'research', token: 'work-token' },
    home: { server: 'http://10.0.0.7:8080', token: 'home-token' },
  },
}
const session = (flags: SessionFlags = {}, env: Record<string, string> = {}, given = file) => {
  const { target, ...rest } = resolveSession(flags, { SVC_DATA_DIR: '/nonexistent', ...env }, given)
  return { server: target.key, ...rest }
}

describe('resolveSession', () => {
  it('uses the current context', () =>
    expect(session()).toEqual({
      server: 'https://work.example',
      serverOrigin: 'context',
      context: 'work',
      token: 'work-token',
      tokenOrigin: 'context',
      workspace: 'research',
      workspaceOrigin: 'context',
    }))

  it('takes another by name, whatever the environment says', () =>
    expect(session({ context: 'home' }, { SVC_SERVER: 'http://elsewhere' })).toMatchObject({
      server: 'http://10.0.0.7:8080',
      token: 'home-token',
      context: 'home',
    }))

  it('lets flags win over the environment, and the environment over the context', () => {
    expect(
      session({ server: 'http://a', workspace: 'f' }, { SVC_SERVER: 'http://b', SVC_WORKSPACE: 'e' }),
    ).toMatchObject({
      server: 'http://a',
      serverOrigin: 'flag',
      workspace: 'f',
    })
    expect(session({}, { SVC_SERVER: 'http://b', SVC_WORKSPACE: 'e', SVC_TOKEN: 't' })).toMatchObject({
      server: 'http://b',
      serverOrigin: 'environment',
      workspace: 'e',
      token: 't',
      tokenOrigin: 'environment',
    })
    expect(session({}, { SVC_WORKSPACE: 'e' })).toMatchObject({
      workspace: 'e',
      workspaceOrigin: 'environment',
      token: 'work-token',
    })
  })

  it.each([
    'http://work.example',
    'https://work.example:444',
    'https://work.example.evil',
    'https://work.example/below',
    'https://evil/https://work.example',
  ])('never sends a stored token or workspace to %s', (server) => {
    const { token, workspace, context } = session({ server })
    expect({ token, workspace, context }).toEqual({})
    expect(session({}, { SVC_SERVER: server }).token).toBeUndefined()
  })

  it('finds the token that belongs to a server named in another spelling', () => {
    expect(session({ server: 'HTTPS://Work.Example:443/' })).toMatchObject({
      token: 'work-token',
      context: 'work',
      serverOrigin: 'flag',
    })
    expect(session({ server: '10.0.0.7:8080' })).toMatchObject({ token: 'home-token', context: 'home' })
  })

  it('refuses a context that is not there, and an address that is none', () => {
    expect(() => session({ context: 'nope' })).toThrow('There is no context "nope"')
    expect(() => session({ context: 'toString' })).toThrow('There is no context')
    expect(() => session({ server: 'ftp://x' })).toThrow('not an address')
  })
})

describe('the daemon of this machine', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'muster-data-'))
  })
  afterEach(() => rmSync(dir, { recursive: true }))
  const local = (given: ContextFile = { contexts: {} }, env: Record<string, string> = {}) =>
    session({}, { SVC_DATA_DIR: dir, ...env }, given)

  it('is on port 8080 when it left no trace', () =>
    expect(local()).toEqual({ server: 'http://127.0.0.1:8080', serverOrigin: 'default' }))

  it('is on the port that is set for it when it left no trace, or else at its socket', () => {
    expect(local(undefined, { SVC_PORT: '4711' }).server).toBe('http://127.0.0.1:4711')
    expect(local(undefined, { SVC_PORT: '0' }).server).toBe(`unix://${dir}/musterd.sock`)
  })

  it('is reached by its socket, with the token stored for that', () => {
    writeFileSync(join(dir, 'musterd.sock'), '')
    const key = `unix://${dir}/musterd.sock`
    expect(local({ contexts: { local: { server: key, token: 'mine' } } })).toEqual({
      server: key,
      serverOrigin: 'default',
      context: 'local',
      token: 'mine',
      tokenOrigin: 'context',
    })
  })

  it('is reached by its address when the socket is gone', () => {
    writeFileSync(
      join(dir, 'musterd.json'),
      JSON.stringify({ url: 'http://127.0.0.1:4711', socket: join(dir, 'gone.sock') }),
    )
    expect(local().server).toBe('http://127.0.0.1:4711')
  })

  it('survives a damaged note', () => {
    writeFileSync(join(dir, 'musterd.json'), '{')
    expect(local().server).toBe('http://127.0.0.1:8080')
  })
})
