import { randomUUID } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { expect } from 'vitest'
import type { Turn } from '../../daemon/runtime/adapters/adapter.ts'
import type { GivenSkill } from '../../daemon/runtime/adapters/skills.ts'
import { type LocalRun, readText } from './agent-client.ts'
import type { Script, ScriptedTool } from './model-endpoint.ts'

const text = `---
name: greet
description: Greets warmly. Use when somebody arrives.
---
Run scripts/greet.sh
`

const greet: GivenSkill = {
  slug: 'greet',
  files: [
    { path: 'SKILL.md', content: text, executable: false },
    { path: 'scripts/greet.sh', content: '#!/bin/sh\necho "hello from $SVC_AGENT_ID"\n', executable: true },
  ],
}

interface Taught<B> {
  scene(script: Script<B>): Promise<{
    endpoint: { messages: B[] }
    folders: Turn['folders']
    run(change?: Partial<Turn>): Promise<LocalRun>
  }>
  shell(command: string): ScriptedTool
  /** The client's tool that loads a skill; without one the model reads the file. */
  skill: ScriptedTool | undefined
}

/** Runs a client with a skill: its model is told of it, loads it, and runs its script; then without it. */
export async function isTaught<B>({ scene, shell, skill }: Taught<B>): Promise<void> {
  const loads = skill ? 1 : 0
  let script = ''
  const { endpoint, folders, run } = await scene((body, n) => {
    if (n < loads) return { tools: [skill!] }
    if (n > loads) return { text: 'Done.' }
    const told = /(\/[^\s"\\<>(]*\/skills?\/greet)\b/.exec(JSON.stringify(body))?.[1]
    script = `${told ?? `${folders.run}/client/skills/greet`}/scripts/greet.sh`
    return { tools: [shell(`${script} > greeting.txt`)] }
  })
  const session = { id: randomUUID(), resume: false, folder: `${folders.run}/client` }
  const { verdict } = await run({ session, skills: [greet] })
  expect(verdict).toMatchObject({ status: 'completed', kind: null })
  expect(JSON.stringify(endpoint.messages[0])).toContain('Greets warmly. Use when somebody arrives.')
  if (skill) expect(JSON.stringify(endpoint.messages[1])).toContain('Run scripts/greet.sh')
  expect(readText(folders.cwd, 'greeting.txt')).toBe('hello from agent1\n')
  expect(statSync(script).mode & 0o333).toBe(0o111)

  // What a run was given goes away with it, and a session keeps none of it.
  for (const left of ['skills', 'plugin', 'opencode'])
    rmSync(`${folders.run}/${left}`, { recursive: true, force: true })
  const before = endpoint.messages.length
  await run({ session: { ...session, id: randomUUID() } })
  expect(JSON.stringify(endpoint.messages[before])).not.toContain('Greets warmly')
}
