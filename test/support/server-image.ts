import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { buildImage } from './build-image.ts'
import { endingOfFile } from './endings.ts'
import { engine } from './engine.ts'

const everything = new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url)
const fixture = new URL('../fixtures/stdio-server.mjs', import.meta.url)

/**
 * Builds an image of crews with the reference MCP server (`mcp-everything stdio`) and one that misbehaves
 * (`mcp-hostile`), and returns its name. It is removed at the end of the file.
 */
export async function buildServerImage(of: string): Promise<string> {
  const name = `muster-test/servers:${of}`
  const { outputFiles } = await build({
    entryPoints: [everything.pathname],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    write: false,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
  })
  const program = (code: string | Uint8Array) =>
    Buffer.concat([Buffer.from('#!/usr/bin/env node\n'), Buffer.from(code)])
  await buildImage(
    name,
    [
      'COPY everything.mjs hostile.mjs /opt/servers/',
      'RUN ln -s /opt/servers/everything.mjs /usr/local/bin/mcp-everything && ' +
        'ln -s /opt/servers/hostile.mjs /usr/local/bin/mcp-hostile',
    ],
    {
      'everything.mjs': program(outputFiles[0]!.text.replace(/^#!.*\n/, '')),
      'hostile.mjs': program(readFileSync(fixture)),
    },
  )
  endingOfFile(() => engine.getImage(name).remove({ force: true }))
  return name
}
