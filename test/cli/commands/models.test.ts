import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

describe('muster models', () => {
  it('lists what agents can work with, of one provider or of all', async () => {
    const { run } = await cliFor(await daemon(), 'VIEWER')
    const all = (await run('models', '-o', 'name')).stdout.split('\n')
    expect(all).toEqual(expect.arrayContaining(['claude-opus-5', 'gpt-4o', 'gemini-2.0-flash']))
    expect((await run('models', '--provider', 'google', '-o', 'name')).stdout).toBe(
      'gemini-2.0-flash\ngemini-1.5-pro\ngemini-1.5-flash\n',
    )
    expect((await run('models', '--search', 'HAIKU')).stdout).toBe('claude-haiku-4-5\tanthropic\tcurated\t\n')
    expect(JSON.parse((await run('models', '--source', 'live', '--json')).stdout)).toEqual([])
    expect(JSON.parse((await run('models', '--limit', '1', '--json')).stdout)).toEqual([
      { id: 'claude-fable-5', provider: 'anthropic', source: 'curated' },
    ])
  })

  it('says which providers there are, and what a local one needs', async () => {
    const { run } = await cliFor(await daemon(), 'VIEWER')
    expect(await run('models', '--provider', 'nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--provider must be one of ANTHROPIC, OPENAI, GOOGLE, OLLAMA/),
    })
    const { code, stderr } = await run('models', '--provider', 'ollama')
    expect(code).not.toBe(0)
    expect(stderr).toContain('SVC_LOCAL_MODELS_URL')
  })

  it('completes the model of an agent', async () => {
    const { run } = await cliFor(await daemon(), 'VIEWER')
    const { stdout } = await run('__complete', 'agents', 'update', 'ada', '--model', 'claude-ha')
    expect(stdout).toBe('claude-haiku-4-5\tanthropic\n')
  })
})
