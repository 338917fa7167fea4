import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exclusively } from '../../cli/exclusively.ts'
import { cli } from '../support/cli.ts'

it('commands that change the stored servers at the same time lose nothing', async () => {
  const { program, run } = cli()
  const names = Array.from({ length: 8 }, (_, at) => `place-${at}`)
  const all = await Promise.all(
    names.map((name) => program.run('contexts', 'create', name, '--url', `http://127.0.0.1:1/${name}`)),
  )
  expect(all.map(({ code }) => code)).toEqual(names.map(() => 0))
  const stored = JSON.parse((await run('contexts', 'list', '--json=name')).stdout) as { name: string }[]
  expect(stored.map(({ name }) => name).sort()).toEqual(names)
})

it('so do those that change settings and aliases', async () => {
  const { program, run } = cli()
  const names = ['one', 'two', 'three', 'four']
  await Promise.all(names.map((name) => program.run('alias', 'set', name, 'crews list')))
  expect((await run('alias', 'list', '--json=name')).stdout.match(/"name"/g)).toHaveLength(4)
})

it('a command that was killed stands in nobody’s way', async () => {
  const { home } = cli()
  const [path, lock] = [join(home, 'file'), join(home, 'file.lock')]
  const gone = execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' })
  writeFileSync(lock, gone.trim())
  expect(await exclusively(path, () => 'done')).toBe('done')
  // Its number is another program's by now.
  writeFileSync(lock, String(process.pid))
  utimesSync(lock, new Date(0), new Date(0))
  expect(await exclusively(path, () => readFileSync(lock, 'utf8'))).toBe(String(process.pid))
  expect(existsSync(lock)).toBe(false)
})

it('a change that fails leaves no lock', async () => {
  const { home } = cli()
  const refused = exclusively(join(home, 'file'), () => {
    throw new Error('no')
  })
  await expect(refused).rejects.toThrow('no')
  expect(existsSync(join(home, 'file.lock'))).toBe(false)
})
