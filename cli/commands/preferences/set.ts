import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { fileOr } from '../../input.ts'

export default class PreferencesSet extends ApiCommand<typeof PreferencesSet> {
  static override summary = 'Store a preference'
  static override description = 'A value that is not JSON is stored as text. @FILE reads the value from a file.'
  static override examples = [
    '$ <%= config.bin %> preferences set theme dark',
    '$ <%= config.bin %> preferences set sidebar \'{"width": 240}\'',
  ]
  static override args = {
    key: Args.string({ required: true, description: 'a-z, A-Z, 0-9, ".", "_" and "-", up to 64 characters' }),
    value: Args.string({ required: true, description: 'any JSON, or text' }),
  }

  async run(): Promise<void> {
    const { key, value } = this.args
    await this.api.preferences.set({ key, body: jsonOrText(fileOr(value)) })
    await this.out.done(`Stored preference ${key}.`)
  }
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
