import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { payloadFlags, payloadIn } from '../../routines/inputs.ts'
import { storedSecret } from '../../webhooks/target.ts'

export default class WaitpointsComplete extends ApiCommand<typeof WaitpointsComplete> {
  static override summary = 'Let waiting work go on, or end it, by its token alone'
  static override description = 'For programs that were given the token. It works once, and needs no account.'
  static override examples = [
    '$ <%= config.bin %> waitpoints complete --token-file token.txt --payload tag=v1',
    '$ <%= config.bin %> waitpoints complete --token-file token.txt --deny --comment "the build failed"',
  ]
  static override hiddenAliases = ['waitpoints:callback']
  static override next = { approval_settled: 'muster waitpoints list', not_found: 'muster waitpoints list' }
  static override flags = {
    'token-file': Flags.string({
      required: true,
      helpValue: 'FILE',
      description: 'read the token from this file, or from standard input with -',
    }),
    deny: Flags.boolean({ description: 'end it' }),
    comment: Flags.string({ char: 'm', helpValue: 'TEXT', description: 'reason, passed on to the work' }),
    ...payloadFlags,
  }

  async run(): Promise<void> {
    const { 'token-file': file, deny, comment } = this.flags
    const token = (await storedSecret(file, 'token-file')).trim()
    const body = { approved: !deny, ...given({ comment, payload: payloadIn(this.flags) }) }
    const reply = await this.api.waitpoints.callback({ token, body })
    await this.out.done(deny ? 'Denied.' : 'Approved.', reply)
  }
}
