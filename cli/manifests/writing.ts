import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeNewFolder } from '../new-folder.ts'
import { cleanYaml } from '../output/yaml.ts'

type Json = Record<string, unknown>

/** Bytes of a file that an apply takes. */
const mostBytes = 4 * 1024 * 1024

/** Writes documents into a folder that is not there yet, so that it can be applied. The names of its files. */
export function writeManifests(folder: string, documents: readonly Json[]): string[] {
  const texts: Record<string, string> = {}
  const whole = documents.map((it) => `---\n${cleanYaml(withFiles(it, texts))}`)
  for (const [index, file] of filesOf(whole).entries())
    texts[index ? `workspace-${index + 1}.yaml` : 'workspace.yaml'] = file
  makeNewFolder(folder)
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return Object.keys(texts).sort()
}

/** One document after the other, in as few files as an apply takes. */
function filesOf(documents: readonly string[]): string[] {
  const files: string[] = []
  let left = 0
  for (const text of documents) {
    const bytes = Buffer.byteLength(text)
    if (files.length && bytes <= left) files.push(`${files.pop()}${text}`)
    else {
      files.push(text)
      left = mostBytes
    }
    left -= bytes
  }
  return files
}

/** The document with its prompts of several lines in files of their own. */
function withFiles({ ...document }: Json, texts: Record<string, string>): Json {
  const spec = document['spec'] as Json | undefined
  const { slug } = document['metadata'] as { slug: string }
  if (document['kind'] === 'Agent' && spec) document['spec'] = inFile(spec, slug, texts)
  if (document['kind'] === 'Crew' && Array.isArray(spec?.['agents'])) {
    const agents = (spec['agents'] as Json[]).map((agent) => inFile(agent, String(agent['slug']), texts))
    document['spec'] = { ...spec, agents }
  }
  return document
}

/** No slug of a server leads out of the folder. */
const isPlain = (slug: string): boolean => /^[a-z0-9][a-z0-9_-]*$/.test(slug)

function inFile({ ...agent }: Json, slug: string, texts: Record<string, string>): Json {
  const { prompt, ...others } = agent
  if (typeof prompt !== 'string' || !prompt.includes('\n') || !isPlain(slug)) return agent
  const file = `prompts/${slug}.md`
  texts[file] = prompt
  return { ...others, prompt_file: file }
}
