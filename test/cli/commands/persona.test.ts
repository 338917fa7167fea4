import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliFor } from '../../support/cli.ts'
import { workplace } from '../../support/runs.ts'

async function setUp(who: 'OWNER' | 'MANAGER' = 'OWNER') {
  const it = await workplace()
  return { it, ...(await cliFor(it, who)) }
}

describe('muster persona', () => {
  it('writes, shows and removes the persona of an agent and of a crew', async () => {
    const { run, home } = await setUp('MANAGER')
    const file = join(home, 'PERSONA.md')
    writeFileSync(file, 'We test first.\n')
    expect(await run('persona', 'crew', 'edit', 'backend', '--content', `@${file}`)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Wrote the persona of crew backend.'),
    })
    expect((await run('persona', 'crew', 'view', 'backend')).stdout).toContain('We test first.')
    expect((await run('persona', 'view', 'ada', '--jq', '[.layer, .content]')).stdout).toBe(
      '["crew","We test first."]\n',
    )
    expect(await run('persona', 'edit', 'ada', '--content', 'I ask twice.')).toMatchObject({ code: 0 })
    expect(await run('persona', 'edit', 'ada', '--content', 'I ask twice.')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Agent ada has that persona already.'),
    })
    expect((await run('persona', 'view', 'ada')).stdout).toMatch(
      /for the agent[\s\S]*12 of 1500 bytes[\s\S]*I ask twice\./,
    )
    expect(await run('persona', 'reset', 'ada')).toMatchObject({ code: 2 })
    expect(await run('persona', 'reset', 'ada', '--yes')).toMatchObject({ code: 0 })
    expect(await run('persona', 'reset', 'ada', '--yes')).toMatchObject({
      stderr: expect.stringContaining('Agent ada has no persona of its own.'),
    })
    expect((await run('persona', 'view', 'ada')).stdout).toContain('We test first.')
    expect(await run('persona', 'crew', 'reset', 'backend', '--yes')).toMatchObject({ code: 0 })
    expect((await run('persona', 'view', 'ada')).stdout).toContain('from name and role')
    const versions = JSON.parse((await run('persona', 'history', 'ada', '--json')).stdout)
    expect(versions).toMatchObject([{ bytes: 12 }])
    expect((await run('persona', 'crew', 'history', 'backend', '--all', '-q')).stdout).toMatch(/^[0-9a-f]{64}\n$/)
  })

  it('takes the text from standard input, and opens an editor at a terminal alone', async () => {
    const { run, pipe } = await setUp()
    expect(await pipe('From a pipe.\n', 'persona', 'edit', 'ada', '--content', '-')).toMatchObject({ code: 0 })
    expect((await run('persona', 'view', 'ada', '--jq', '.content')).stdout).toBe('From a pipe.\n')
    expect(await run('persona', 'edit', 'ada')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('An editor needs a terminal.'),
    })
    expect(await run('persona', 'edit', 'ada', '--content', ' ')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The persona is empty.'),
    })
    expect(await run('persona', 'edit', 'ada', '--content', 'x'.repeat(1501))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('this one has 1501'),
    })
  })

  it('edits the text as it stands in the editor of the person', async () => {
    const it = await workplace()
    await it.call('OWNER', 'PUT', `/agents/${it.agentId}/persona`, { content: 'I am blunt.' })
    const plain = await cliFor(it)
    const editor = join(plain.home, 'my editor')
    writeFileSync(editor, '#!/bin/sh\necho "$(cat "$2") $1" > "$2.new" && mv "$2.new" "$2"\n')
    chmodSync(editor, 0o755)
    const at = async (command: string) =>
      (await cliFor(it, 'OWNER', { VISUAL: command, EDITOR: 'false' })).terminal(['persona', 'edit', 'ada']).ended
    expect(await at(`'${editor}' Politely.`)).toBe(0)
    const own = async () => (await it.call('OWNER', 'GET', `/agents/${it.agentId}/persona`)).body.content
    expect(await own()).toBe('I am blunt. Politely.')
    expect(await at('false')).not.toBe(0)
    expect(await own()).toBe('I am blunt. Politely.')
  })

  it('suggests, and decides by the suggestion, its item or the general commands', async () => {
    const { run } = await setUp('MANAGER')
    const suggest = async (content: string): Promise<string> => {
      const ran = await run('persona', 'suggest', 'ada', '--content', content, '--rationale', 'a test', '--json')
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('It waits for a decision') })
      return JSON.parse(ran.stdout).audit_id
    }
    const first = await suggest('One.')
    expect((await run('inbox', 'show', `ibx_escalation_${first}`, '--jq', '.body_md')).stdout).toContain('One.')
    expect(await run('persona', 'decide', first)).toMatchObject({ code: 2 })
    expect(await run('persona', 'decide', first, '--approve')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Approved.'),
    })
    expect((await run('persona', 'view', 'ada', '--jq', '.content')).stdout).toBe('One.\n')
    const second = await suggest('Two.')
    expect(await run('persona', 'decide', `ibx_escalation_${second}`, '--deny', '-m', 'vague')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Denied.'),
    })
    expect(await run('persona', 'decide', second, '--approve')).toMatchObject({ code: 5 })
    const third = await suggest('Three.')
    expect(await run('approve', third)).toMatchObject({ code: 0 })
    expect((await run('persona', 'view', 'ada', '--jq', '.content')).stdout).toBe('Three.\n')
  })
})

describe('muster agents', () => {
  it('shows and sets whether an agent may change itself', async () => {
    const { run } = await setUp()
    expect((await run('agents', 'learning', 'show', 'ada', '-q')).stdout).toBe('off\n')
    expect(await run('agents', 'learning', 'set', 'ada', '--reason', 'x')).toMatchObject({ code: 2 })
    expect(await run('agents', 'learning', 'set', 'ada', '--on', '--reason', 'a sandbox')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('ada may change itself.'),
    })
    expect((await run('agents', 'learning', 'show', 'ada')).stdout).toContain('a sandbox')
    expect(await run('agents', 'learning', 'set', 'ada', '--off', '--reason', 'done')).toMatchObject({
      stderr: expect.stringContaining('ada may not change itself.'),
    })
  })

  it('lists, shows and removes cards about people, who are named by address', async () => {
    const { it, run } = await setUp()
    const { userId, email } = it.person('MEMBER')
    it.app.db
      .prepare(
        `INSERT INTO peer_cards (id, workspace_id, agent_id, user_id, content, created_at, updated_at)
         VALUES ('card', ?, ?, ?, 'Likes tests', @now, @now)`,
      )
      .run(it.workspace, it.agentId, userId, { now: it.app.now() })
    expect((await run('agents', 'peers', 'list', 'ada', '-q')).stdout).toBe(`${userId}\n`)
    expect((await run('agents', 'peers', 'show', 'ada', email)).stdout).toContain('Likes tests')
    expect(await run('agents', 'peers', 'remove', 'ada', email, '--yes')).toMatchObject({ code: 0 })
    expect(await run('agents', 'peers', 'remove', 'ada', userId, '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('keeps no card'),
    })
    expect(await run('agents', 'peers', 'list', 'ada')).toMatchObject({ code: 0, stdout: '' })
  })

  it('shows what waits on an agent, and what the server knows of it', async () => {
    const { it, run } = await setUp()
    expect((await run('agents', 'inbox', 'ada')).stdout).toMatch(/Approvals\s+0[\s\S]*Cost\s+0/)
    it.app.runtime = {
      ...it.app.runtime,
      condition: async () => null,
      status: async () => ({ state: 'running' }),
    } as never
    const shown = await run('agents', 'debug', 'ada')
    expect(shown.stdout).toMatch(/Adapter\s+CLAUDE_CODE[\s\S]*Runtime\s+idle[\s\S]*Container\s+running/)
    expect(JSON.parse((await run('agents', 'debug', 'ada', '--json')).stdout)).toMatchObject({ daemon_reachable: true })
  })
})
