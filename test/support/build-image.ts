import type { Buffer } from 'node:buffer'
import { pack } from 'tar-stream'
import { engine } from './engine.ts'

/** Builds an image of crews from the usual one, without a network. The files are programs beside the Dockerfile. */
export async function buildImage(
  name: string,
  steps: readonly string[],
  files: Readonly<Record<string, Buffer>> = {},
): Promise<void> {
  const context = pack()
  context.entry({ name: 'Dockerfile' }, ['FROM muster/crew:local', ...steps, ''].join('\n'))
  for (const [file, content] of Object.entries(files)) context.entry({ name: file, mode: 0o755 }, content)
  context.finalize()
  const stream = await engine.buildImage(context as unknown as NodeJS.ReadableStream, { t: name, networkmode: 'none' })
  await new Promise<void>((resolve, reject) =>
    engine.modem.followProgress(stream, (error, lines) => {
      const failed = error ?? lines.find((line: { error?: string }) => line.error)
      if (failed) reject(new Error(failed.error ?? failed.message))
      else resolve()
    }),
  )
}
