import { describe, expect, it } from 'vitest'
import { beginning, excerptOf } from '../../../cli/chat/excerpt.ts'
import { addMessage } from '../../../daemon/features/chats/messages/service.ts'
import { cliFor } from '../../support/cli.ts'
import { workplace } from '../../support/runs.ts'

async function place() {
  const it = await workplace()
  const chat = await it.openChat()
  await it.app.write(() =>
    addMessage(it.app, {
      chatId: chat,
      agentId: it.agentId,
      runId: null,
      role: 'assistant',
      content: 'The crème\n\u001b[31mBRÛLÉE is done',
    }),
  )
  return { it, chat, agent: (await it.call('OWNER', 'GET', `/agents/${it.agentId}`)).body.slug as string }
}

describe('muster search', () => {
  it('shows the words in their context, for programs as the server has it', async () => {
    const { it, chat, agent } = await place()
    const { run } = await cliFor(it, 'VIEWER')
    const { stdout } = await run('search', 'the creme')
    expect(stdout).toContain(`\t${agent}\t${agent}\tThe crème`)
    expect(stdout).not.toContain('\u001b')
    const rows = JSON.parse((await run('chats', 'search', 'the creme', '--agent', agent, '--json')).stdout)
    expect(rows).toMatchObject([{ session_id: chat, agent_slug: agent, role: 'assistant' }])
    expect(JSON.parse((await run('search', 'the creme', '--crew', 'backend', '--json')).stdout)).toHaveLength(1)
  })

  it('marks the words at a terminal alone, and lets nothing else act on it', async () => {
    const { it, chat } = await place()
    const muster = await cliFor(it, 'VIEWER')
    const shown = async (env: Record<string, string>) => {
      const terminal = muster.screen(['search', 'the creme'], { env })
      expect(await terminal.ended).toBe(0)
      return terminal.text()
    }
    const colored = await shown({ FORCE_COLOR: '1' })
    expect(colored).toContain('\u001b[1mThe crème\u001b[22m')
    expect(colored).not.toContain('\u001b[31m')
    expect(colored).toContain(`Next: muster chats messages ${chat}`)
    expect(await shown({ NO_COLOR: '1' })).toContain('The crème')
    expect((await muster.run('search', 'the creme')).stdout).not.toContain('\u001b')
  })

  it('finds nothing without an error, and takes operators for words', async () => {
    const { run } = await cliFor((await place()).it, 'VIEWER')
    expect(await run('search', 'creme" OR "x', '--json')).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(await run('search', '!!', '--json')).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(await run('search', ' ', '--json')).toMatchObject({ code: 2 })
  })
})

describe('excerptOf', () => {
  it('cuts around the words and keeps them as they stand there', () => {
    expect(excerptOf('The Crème\n\nBRÛLÉE is', 'creme brulee')).toEqual({
      before: 'The ',
      words: 'Crème BRÛLÉE',
      after: ' is',
    })
    expect(excerptOf(`${'a '.repeat(100)}needle${' b'.repeat(100)}`, 'needle')).toEqual({
      before: `...${' a'.repeat(35).slice(1)} `,
      words: 'needle',
      after: `${' b'.repeat(35)}...`,
    })
    expect(excerptOf('我们部署', '部署')).toMatchObject({ before: '我们', words: '部署' })
    expect(excerptOf('cannot', 'not')).toEqual({ before: 'can', words: 'not', after: '' })
    expect([excerptOf('abc', '!'), excerptOf('abc', 'd')]).toEqual([null, null])
    expect(beginning('one\n two')).toBe('one two')
  })
})
