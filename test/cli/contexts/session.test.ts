import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ContextFile } from '../../../cli/contexts/file.ts'
import { isLocal, localAddress, resolveSession, type SessionFlags } from '../../../cli/contexts/session.ts'

const file: ContextFile = {
  current: 'work',
  contexts: {
    work: { server: 'https://work.example', workspace: 'research', token: 'work-token' },
    home: { server: 'http://10.0.0.7:8080', token: 'home-token' },
  },
}
const session = (flags: SessionFlags = {}, env: Record<string, string> = {}, given = file) => {
  const { target, ...rest } = resolveSession(flags, { XDG_DATA_HOME: '/nonexistent', ...env }, given)
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
  const local = (given: ContextFile = { contexts: {} }) => session({}, { SVC_DATA_DIR: dir }, given)
  const note = (text: string) => writeFileSync(join(dir, 'musterd.json'), text)

  it('is at the socket of its data folder', () =>
    expect(local()).toEqual({ server: `unix://${dir}/musterd.sock`, serverOrigin: 'default' }))

  it('is reached with the token stored for that socket', () => {
    const key = `unix://${dir}/musterd.sock`
    expect(local({ contexts: { local: { server: key, token: 'mine' } } })).toEqual({
      server: key,
      serverOrigin: 'default',
      context: 'local',
      token: 'mine',
      tokenOrigin: 'context',
    })
  })

  it('wins over the current context when its folder is named, but not over a named server', () => {
    expect(local(file)).toEqual({ server: `unix://${dir}/musterd.sock`, serverOrigin: 'default' })
    const env = { SVC_DATA_DIR: dir }
    expect(session({ context: 'home' }, env).server).toBe('http://10.0.0.7:8080')
    expect(session({ server: 'http://a' }, env).server).toBe('http://a')
    expect(session({}, { ...env, SVC_SERVER: 'http://b' }).server).toBe('http://b')
  })

  it('is not the daemon at another socket, which a context names', () => {
    const elsewhere = { current: 'b', contexts: { b: { server: 'unix:///srv/b/musterd.sock' } } }
    const env = { XDG_DATA_HOME: dir }
    expect(isLocal(resolveSession({}, env, elsewhere), env)).toBe(false)
    const here = { current: 'a', contexts: { a: { server: `unix://${dir}/muster/musterd.sock` } } }
    expect(isLocal(resolveSession({}, env, here), env)).toBe(true)
    expect(isLocal(resolveSession({}, env, { contexts: {} }), env)).toBe(true)
  })

  it('may also be at the address that it left, or at the port that is set', () => {
    const address = (env: Record<string, string> = {}) => localAddress({ SVC_DATA_DIR: dir, ...env })?.key
    expect(address()).toBe('http://127.0.0.1:8080')
    expect(address({ SVC_PORT: '4711' })).toBe('http://127.0.0.1:4711')
    expect(address({ SVC_PORT: '0' })).toBeUndefined()
    for (const garbage of ['{', 'null', '[]', '5', '{"url":5}', '{"url":"ftp://x"}', '{"url":"http://x","pid":-1}']) {
      note(garbage)
      expect(address()).toBe('http://127.0.0.1:8080')
    }
    note(JSON.stringify({ url: 'http://127.0.0.1:4712' }))
    expect(address({ SVC_PORT: '0' })).toBe('http://127.0.0.1:4712')
  })
})
